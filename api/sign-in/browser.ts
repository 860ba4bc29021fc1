import type { Request, Response } from 'express';
import { DropError } from '../../shared/domain/errors.ts';
import { limitTable } from '../../shared/limits/limit-table.ts';
import {
  type IdentityProvider,
  type ProviderPerson,
  withoutClaims,
} from '../../shared/sign-ins/identity-provider.ts';
import { type Html, html } from '../html/html.ts';
import type { PageParts } from '../html/layout.ts';
import { leadTo } from '../http/form-script.ts';
import { keptField, keptFormBytes } from '../http/kept-forms.ts';
import { browserSignInPath, dashboardPaths, isOperatorPath, signInPaths } from '../http/paths.ts';
import { open, type Route } from '../http/route.ts';
import type { RouteParts } from '../http/route-parts.ts';
import type { Shown } from '../http/show.ts';
import { LocalSignIn } from './local.ts';
import { localPage } from './local-views.ts';
import { problem, type SignInPages } from './pages.ts';
import { keptInput } from './signed-out.ts';
import { readyPage } from './views.ts';

/** Time to come back from the identity provider. */
const visitMs = 10 * 60_000;

/** Longer addresses are not kept: the cookie of the visit must stay below 4 KB. */
const nextMaxLength = 500;

/** GET and POST of the sign-in to the dashboard, and the sign-out. */
export function browserRoutes(parts: RouteParts, { visit, page, form }: SignInPages): readonly Route[] {
  const { services, sessions: access } = parts;
  const { identityProvider, config, clock } = services;
  const localSignIn = new LocalSignIn(services);
  return [
    page(action, async (req) => {
      const next = dashboardPathIn(req.query.next, config.BASE_URL);
      const session = await access.find(req);
      // A page of operators sends a person here whose session is too old for it.
      const isEnough = session !== null && !(session.isTooOldToOperate && isOperatorPath(next));
      return isEnough ? next : signInForm(next, identityProvider);
    }),

    form(
      action,
      async (req, res, sent) => {
        const next = dashboardPathIn(sent.get('next'), config.BASE_URL);
        if (identityProvider !== null) {
          const target = { device: null, next, expiresAt: clock.now() + visitMs };
          return visit(res, identityProvider, target, 'You then return here.');
        }
        const kept = sent.get(keptField) ?? '';
        const fields = html`${nextInput(next)}${kept !== '' && keptInput(kept)}`;
        return localSignIn.answer(req, sent, { action, fields }, async (identity) => {
          await startSession(parts, req, res, withoutClaims(identity));
          const form = await access.keptForms.open(kept);
          if (form === null) return next;
          res.redirect(307, form.path); // sends the sealed text on
          return null;
        });
      },
      keptFormBytes,
    ),

    page(signInPaths.ready, async (req) =>
      (await access.find(req)) === null ? browserSignInPath(signInPaths.ready) : readyPage,
    ),

    signOutRoute(parts),
  ];
}

function signOutRoute({ services: { sessions }, sessions: access }: RouteParts): Route {
  const send = access.sessionForm(
    null,
    async (_, res, __, ___, admit) => {
      const { caller, id } = await admit();
      await sessions.revoke(caller, id);
      access.cookie.clear(res);
      leadTo(res, '/');
    },
    { allowsSuspended: true },
  );
  return open('POST', dashboardPaths.signOut, send);
}

/** Starts the session of a person who has come back from the identity provider. @returns `next`, or a page with the error */
export async function finishBrowserSignIn(
  parts: RouteParts,
  req: Request,
  res: Response,
  next: string,
  person: ProviderPerson,
): Promise<Shown> {
  try {
    await startSession(parts, req, res, person);
    return next;
  } catch (error) {
    if (!(error instanceof DropError)) throw error;
    const retry = { href: browserSignInPath(next), text: 'Try again' };
    return problem(req, { error, title: 'Not signed in', retry });
  }
}

/**
 * Starts a new session, and revokes the one that the browser had. Approving a device never starts one.
 * @throws DropError `rate_limited`
 */
async function startSession(
  { services: { signIns, limits, sessions }, sessions: access }: RouteParts,
  req: Request,
  res: Response,
  person: ProviderPerson,
): Promise<void> {
  const { id, countsAs } = await signIns.signInWith(person);
  res.locals.accountId = id; // for the log
  await limits.take(limitTable.signInOfAccount, countsAs);
  const before = await access.find(req);
  access.cookie.write(
    res,
    await sessions.start(id, browserName(req.headers['user-agent']), person.identity.provider),
  );
  if (before !== null) await sessions.revoke(before.caller, before.id);
}

const action = signInPaths.browser;

function signInForm(next: string, identityProvider: IdentityProvider | null): PageParts {
  const fields = nextInput(next);
  return identityProvider === null
    ? localPage({ action, fields }, '')
    : beginPage(action, identityProvider.name, fields);
}

function nextInput(next: string): Html {
  return html`<input type="hidden" name="next" value="${next}">`;
}

/**
 * A path of the dashboard, or of the comments on a page, with its query; the first page of the dashboard for anything else: nobody
 * is sent to another site, or to a drop.
 */
function dashboardPathIn(next: unknown, baseUrl: string): string {
  if (typeof next !== 'string' || next.length > nextMaxLength) return dashboardPaths.drops;
  if (!URL.canParse(next, baseUrl)) return dashboardPaths.drops;
  const { origin, pathname, search } = new URL(next, baseUrl);
  const isOfDashboard =
    /^\/((drops|comments|account|operators)(\/|$)|sign-in\/ready$|p\/[\w-]+\/comments$)/.test(pathname) &&
    origin === new URL(baseUrl).origin;
  return isOfDashboard ? pathname + search : dashboardPaths.drops;
}

function beginPage(action: string, provider: string, fields: Html): PageParts {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
<p class="soft">See your pages, change them and take them down.</p>
<form method="post" action="${action}">
${fields}
<button type="submit">Continue with ${provider}</button>
</form>
<p class="soft small after">Dropleaf reads only your public user name and user id from ${provider}.</p>`,
  };
}

/** The first that matches names the browser: most browsers claim to be others, too. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
];

const systems: typeof browsers = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** `Firefox on Windows`, made of our own words: any client chooses its header. */
function browserName(userAgent = ''): string {
  const find = (list: typeof browsers) => list.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = find(browsers);
  const system = find(systems);
  if (browser === undefined) return system === undefined ? 'Unknown browser' : `Browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
