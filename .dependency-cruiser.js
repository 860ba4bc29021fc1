// Which file may import which. ARCHITECTURE.md explains the folders and the direction (records ← ports ← services ← api,
// worker, bin; cli alone); test/checks/rules.slow.test.ts plants violations to show that each rule reports them.

/** The folders that run in production. Tests and benchmarks may import any of them. */
const production = '^(api|worker|shared|bin|browser|cli)/';

/** An adapter is named after its technology: a folder of its own, or files of a resource's folder, `sqlite.ts`, `sqlite-reads.ts`. */
const technologies = 'sqlite|mongo|redis|memory|files|github|oidc|argon2|jose|threads|http|prometheus|tar';
const adapters = adapterOf(technologies);

function adapterOf(names) {
  return [`^shared/(${names})/`, `^shared/[a-z-]+/(${names})[.-]`];
}

/** Where a quote stands, in pages and in sources: the worker and the script in a page must say the same. */
const comparisons = '^shared/comments/(anchor|alike|likeness|quote-lines|compared-text)\\.ts$';

/**
 * What an adapter may know of the rest: words of all resources; what is looked at in documents; ports, which are named after what does the work; records, `drops/drop.ts`, queries of lists; and how providers are called.
 * All other files of a resource's folder are its services.
 */
const contracts = [
  '^shared/(domain|html|page-checks|util|log)/',
  '^shared/[a-z-]+/[a-z-]*(engine|stores?|tables?|log|queue|changes|provider|renderer|differ|finder|hasher|limiter|purger|sealer|metrics)\\.ts$',
  '^shared/[a-z-]+/(access|account|act|archive|card|comment|drop|drop-query|job-(catalogue|reports)|report|revision|search|session|sign-in|thread|token|visitor)\\.ts$',
  comparisons,
  '^shared/sign-ins/provider-calls\\.ts$',
];

/** The only files that pick adapters. */
const engines = '^shared/engines/';

/** The only places where a package of the registry may be imported. One without a row may be imported nowhere. */
const vendors = {
  '@csstools/css-tokenizer': '^cli/bundle/',
  '@bull-board/api': adapterOf('redis'),
  '@bull-board/express': adapterOf('redis'),
  '@fastify/busboy': '^api/http/',
  '@jest/diff-sequences': adapterOf('threads'),
  '@modelcontextprotocol/server': '^api/mcp/',
  '@node-rs/argon2': adapterOf('argon2'),
  '@photostructure/sqlite': adapterOf('sqlite'),
  '@takumi-rs/core': adapterOf('threads'),
  bullmq: adapterOf('redis'),
  'cli-progress': '^bin/',
  commander: '^(bin|cli)/',
  fflate: '^cli/publish/',
  'highlight.js': '^cli/markdown/',
  'damerau-levenshtein': '^shared/config/',
  'es-module-lexer': '^cli/bundle/',
  express: '^api/',
  helmet: '^api/',
  ioredis: adapterOf('redis'),
  'ipaddr.js': '^api/http/',
  isbot: '^api/',
  jose: adapterOf('jose'),
  'lean-qr': '^api/pages/',
  'lru-cache': '^(api|shared)/',
  'markdown-it': '^(api|shared/threads|cli/markdown)/',
  'markdown-it-anchor': '^cli/markdown/',
  'markdown-it-footnote': '^cli/markdown/',
  'markdown-it-task-lists': '^cli/markdown/',
  mongoose: adapterOf('mongo'),
  mrmime: '^cli/bundle/',
  negotiator: '^api/',
  oauth4webapi: adapterOf('github|oidc'),
  parse5: '^(shared/html|cli/bundle)/',
  pino: '^bin/',
  'prom-client': adapterOf('prometheus'),
  piscina: adapterOf('sqlite|threads'),
  'proxy-addr': '^api/http/',
  'sanitize-html': adapterOf('threads'),
  'tar-stream': adapterOf('tar'),
  yazl: '^api/dashboard/account/zip\\.ts$',
  yup: '^(api/|shared/jobs/job-catalogue\\.ts|shared/config/)',
};

const names = Object.keys(vendors).map((name) => name.replaceAll('.', '\\.'));

/** A folder and everything of the project that it may import; packages and Node's modules have rules of their own. */
function folder(name, path, mayImport, comment) {
  return {
    name,
    comment,
    severity: 'error',
    from: { path },
    to: { path: '^(api|worker|shared|bin|browser|cli|scripts|test|bench)/', pathNot: mayImport },
  };
}

/** Node's modules that reach outside the process, or the process itself. */
const reachesOut =
  '^(node:)?(fs|net|tls|http|https|http2|dgram|dns|child_process|cluster|worker_threads|os|process|readline|repl)(/|$)';

export default {
  forbidden: [
    folder(
      'domain-imports-domain',
      '^shared/domain/',
      ['^shared/domain/'],
      'The domain imports only itself.',
    ),
    folder('util-imports-util', '^shared/util/', ['^shared/util/'], 'Utilities know nothing of Dropleaf.'),
    folder(
      'html-imports-html',
      '^shared/html/',
      ['^shared/(html|util)/', comparisons],
      'Scanning and rendering of documents.',
    ),
    folder(
      'config-imports-config',
      '^shared/config/',
      ['^shared/config/'],
      'The configuration is read before anything else exists.',
    ),
    folder(
      'page-checks-import-page-checks',
      '^shared/page-checks/',
      ['^shared/(page-checks/|html/html-file\\.ts$)'],
      'They are also part of the client.',
    ),
    {
      name: 'adapters-import-contracts',
      comment: 'An adapter knows records, ports and its own technology, and no service.',
      severity: 'error',
      from: { path: adapters },
      to: { path: '^shared/', pathNot: [...contracts, ...adapters] },
    },
    {
      name: 'contracts-import-contracts',
      comment: 'Records and ports know neither services nor adapters.',
      severity: 'error',
      from: { path: contracts, pathNot: [...adapters, `${engines}(open|embedded|scale-out|back)-`] },
      to: { path: '^shared/', pathNot: contracts },
    },
    ...technologies.split('|').map((name) => ({
      name: `${name}-imports-no-other-technology`,
      severity: 'error',
      from: { path: adapterOf(name) },
      to: { path: adapters, pathNot: adapterOf(name) },
    })),
    folder(
      'api-imports-services',
      '^api/',
      ['^api/', '^shared/'],
      'The web process never uses the worker or bin.',
    ),
    folder(
      'worker-imports-services',
      '^worker/',
      ['^worker/', '^shared/'],
      'The worker never uses the web process or bin.',
    ),
    folder('bin-imports-processes', '^bin/', ['^(bin|api|worker|shared)/'], 'Commands start the processes.'),
    folder('scripts-import-config', '^scripts/', ['^(scripts|shared/config)/'], 'Build and documentation.'),
    folder(
      'shared-imports-shared',
      '^shared/',
      ['^shared/'],
      'What both processes need depends on neither of them.',
    ),
    {
      name: 'only-engines-pick-adapters',
      comment: 'One composition root; tests and measurements may open single adapters.',
      severity: 'error',
      from: { path: production, pathNot: [engines, ...adapters] },
      to: { path: adapters },
    },
    {
      name: 'engines-are-opened-by-processes',
      comment: 'No resource knows how the service is put together, only what an engine has.',
      severity: 'error',
      from: { path: '^shared/', pathNot: engines },
      to: { path: engines, pathNot: `${engines}engine\\.ts$` },
    },
    {
      name: 'nobody-imports-bin',
      comment: 'Only tests do.',
      severity: 'error',
      from: { pathNot: '^(bin|test)/' },
      to: { path: '^bin/' },
    },
    {
      name: 'nobody-imports-cli',
      comment: 'Only tests do. The service reads the built file.',
      severity: 'error',
      from: { pathNot: '^(cli|test)/' },
      to: { path: '^cli/' },
    },
    folder(
      'cli-imports-cli',
      '^cli/',
      [
        '^cli/',
        '^shared/page-checks/',
        '^shared/html/(html-file|encoding|title)\\.ts$',
        '^shared/util/(?:shown-text|program-output)\\.ts$',
      ],
      'The client is one file that runs without the service, and shares only what judges a page and shows a text. Types count too: swc cannot tell them from code.',
    ),
    {
      name: 'nobody-imports-browser',
      comment: 'The service reads the built files.',
      severity: 'error',
      from: { pathNot: '^browser/' },
      to: { path: '^browser/' },
    },
    folder(
      'browser-imports-browser',
      '^browser/',
      ['^browser/', '^shared/html/html-file\\.ts$', comparisons],
      'Scripts of our pages know the markup, and of the service only what a file is and where a quote stands.',
    ),
    {
      name: 'browser-runs-in-browsers',
      severity: 'error',
      from: { path: '^browser/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'rules-are-pure',
      comment: 'No files, sockets, threads or processes in records, ports and services.',
      severity: 'error',
      from: {
        path: '^shared/',
        pathNot: [...adapters, engines, '^shared/(config/|version\\.ts|util/program-output\\.ts)'],
      },
      to: { dependencyTypes: ['core'], path: reachesOut },
    },
    {
      name: 'config-is-pure',
      comment: 'Of `net` only what computes: isIP, BlockList.',
      severity: 'error',
      from: { path: '^shared/config/' },
      to: { dependencyTypes: ['core'], path: reachesOut, pathNot: '^(node:)?net$' },
    },
    ...Object.entries(vendors).map(([name, homes]) => ({
      name: `home-of-${name.replace(/^@/, '').replace('/', '-')}`,
      severity: 'error',
      from: { path: production, pathNot: homes },
      to: { path: `(^|/)node_modules/(@types/)?${name}/` },
    })),
    {
      name: 'packages-have-a-home',
      comment: 'Production code imports a package only where the table above allows it.',
      severity: 'error',
      from: { path: production },
      to: { path: '(^|/)node_modules/', pathNot: `(^|/)node_modules/(@types/)?(${names.join('|')})/` },
    },
    {
      name: 'no-dev-dependencies-in-production',
      comment: 'What cli imports is built into its one file.',
      severity: 'error',
      from: { path: production, pathNot: '^cli/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'declared-packages-only',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-optional', 'npm-bundled'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    // With TypeScript 7 the default parser reads no module at all, and reports success.
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/clients/' }, // its imports are generated by the test that runs it
    preserveSymlinks: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
