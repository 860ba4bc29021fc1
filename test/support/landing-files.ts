// What `.ci/run` leaves to `npm run test:all`: a landing is to be short, and a busy machine is not to decide about it.

/** Names of compiled tests in a folder. */
export function testsIn(folder: string, names: string): readonly string[] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => `${folder}/${name}.test.js`);
}

/** What states how soon a service recovers, or what a proxy keeps how long: a busy machine decides about it, too. */
const timed = [
  ...testsIn('adapters', 'mongo-connection.scale-out redis-connection.scale-out'),
  ...testsIn('bin', 'alerts.slow'),
  ...testsIn('browser', 'gallery gallery-floods gallery-loops'),
  ...testsIn('coherence', 'coherence.scale-out'),
  ...testsIn('edge', 'nginx.scale-out nginx-releases.scale-out varnish varnish.scale-out'),
  ...testsIn(
    'scale-out',
    `alerts.scale-out comments-waiting.scale-out database-away.scale-out faults-network.scale-out lost-replies.scale-out
     many-processes.scale-out slow-database.scale-out`,
  ),
];

/** What goes through many pages, widths, kinds of keys, steps or kills. Of the faults of jobs and of the kills, SQLite's stay. */
const wide = [
  ...testsIn('bin', 'archives.scale-out forms.scale-out'),
  ...testsIn(
    'browser',
    `accessible-dashboard accessible-pages built-folders clipboard comments-page comments-selection content-origin forms
     framed-keys framed-names framed-page framed-places framed-selection leaving linking next-version picture-neighbours
     pictures render review-anchors rich-drop tokens touch-targets viewer-page webkit`,
  ),
  ...testsIn('scale-out', 'crash.scale-out'),
  ...testsIn('worker', 'faults.scale-out'),
];

/** What a change of the product seldom touches: the project's own rules, runner and benchmarks, and clients that others generate. */
const apart = [
  ...testsIn('checks', 'benches.slow expressions.slow rules.slow run.slow'),
  ...testsIn('description', 'clients.slow'),
];

const left = new Set([...timed, ...wide, ...apart]);

/**
 * Of the files that run on both engines these run on one: what they test is decided above the stores, of which each has its
 * contract (test/contract): who may read and what a token may do, fields and limits, the forms and pages of the dashboard, headers,
 * sign-in, and the tools of MCP, which call what the API calls.
 */
const onOneEngine = new Set(
  testsIn(
    'api',
    `access-requests access-table account account-page cards comment-sides comments-bounds comments-page comments-waiting
     compression dashboard-comments dashboard-context dashboard-drop dashboard-history dashboard-list dashboard-new
     device-with-session diff digests drop-fields edge every-call every-page file-names following-titles form-script framed
     framed-states head hostile-people identity-checks inbox kept-forms late-answers lengths limits-minute logs mcp mcp-arguments
     mcp-comments mcp-turns metric-waits page-parts public-pages raw-caching raw-headers raw-unavailable raw-warm refused-forms
     report-limits scopes share-page sign-in-browser sign-in-github sign-in-limits sign-in-oidc sign-in-pages sign-in-start
     source unlock viewer warnings`,
  ),
);

/** All that are named here. */
export const namedFiles: readonly string[] = [...left, ...onOneEngine];

/** Whether a landing runs a file, beside the quick ones. @param isAgain on the second engine */
export function isAtLanding(name: string, isAgain: boolean): boolean {
  return !left.has(name) && !(isAgain && onOneEngine.has(name));
}
