// Which folder may import which. ARCHITECTURE.md explains the folders and the direction (domain ← ports ← services ← api,
// worker, bin; cli alone); test/checks/rules.slow.test.ts plants violations to show that each rule reports them.

/** The folders that run in production. Tests and benchmarks may import any of them. */
const production = '^(api|worker|shared|bin|browser|cli)/';

/** The only places where a package of the registry may be imported. One without a row may be imported nowhere. */
const vendors = {
  '@bull-board/api': '^shared/adapters/redis/',
  '@bull-board/express': '^shared/adapters/redis/',
  '@fastify/busboy': '^api/http/',
  '@jest/diff-sequences': '^shared/adapters/threads/',
  '@modelcontextprotocol/server': '^api/mcp/',
  '@node-rs/argon2': '^shared/adapters/argon2/',
  '@photostructure/sqlite': '^shared/adapters/sqlite/',
  '@takumi-rs/core': '^shared/adapters/threads/',
  bullmq: '^shared/adapters/redis/',
  'cli-progress': '^bin/',
  commander: '^(bin|cli)/',
  'damerau-levenshtein': '^shared/config/',
  express: '^api/',
  helmet: '^api/',
  ioredis: '^shared/adapters/redis/',
  'ipaddr.js': '^api/http/',
  isbot: '^api/',
  jose: '^shared/adapters/jose/',
  'lean-qr': '^api/pages/',
  'lru-cache': '^(api|shared/services|shared/adapters/(mongo|sqlite))/',
  'markdown-it': '^(api|shared/adapters/threads)/',
  mongoose: '^shared/adapters/mongo/',
  negotiator: '^api/',
  oauth4webapi: '^shared/adapters/github/',
  parse5: '^shared/html/',
  pino: '^bin/',
  'prom-client': '^shared/adapters/prometheus/',
  piscina: '^shared/adapters/(sqlite|threads)/',
  'proxy-addr': '^api/http/',
  'sanitize-html': '^shared/adapters/threads/',
  'tar-stream': '^shared/adapters/tar/',
  yazl: '^api/dashboard/account/zip\\.ts$',
  yup: '^(api/|shared/job-catalogue\\.ts|shared/config/)',
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
      ['^shared/(html|util)/'],
      'Scanning and rendering of documents.',
    ),
    folder(
      'ports-import-domain',
      '^shared/(ports/|job-catalogue\\.ts$)',
      ['^shared/(domain|html|ports)/', '^shared/job-catalogue\\.ts$'],
      'Ports use the words of the domain and the job catalogue only.',
    ),
    folder(
      'config-imports-config',
      '^shared/config/',
      ['^shared/config/'],
      'The configuration is read before anything else exists.',
    ),
    folder(
      'services-import-ports',
      '^shared/services/',
      ['^shared/(config|domain|html|ports|services|util)/', '^shared/job-catalogue\\.ts$'],
      'Services use ports and never know which adapter implements them.',
    ),
    folder(
      'adapters-import-ports',
      '^shared/adapters/([^/]+)/',
      ['^shared/(domain|html|ports|util)/', '^shared/job-catalogue\\.ts$', '^shared/adapters/$1/'],
      'An adapter knows the ports and its own technology.',
    ),
    folder(
      'api-imports-services',
      '^api/',
      ['^api/', '^shared/(?!adapters/)'],
      'The web process uses services and ports, never adapters, the worker or bin.',
    ),
    folder(
      'worker-imports-services',
      '^worker/',
      ['^worker/', '^shared/(?!adapters/)'],
      'The worker uses services and ports, never adapters, the web process or bin.',
    ),
    folder(
      'bin-imports-no-adapter',
      '^bin/',
      ['^(bin|api|worker)/', '^shared/(?!adapters/)'],
      'Commands get their parts from the shared/open-*.ts files.',
    ),
    folder('scripts-import-config', '^scripts/', ['^(scripts|shared/config)/'], 'Build and documentation.'),
    folder(
      'shared-imports-shared',
      '^shared/',
      ['^shared/'],
      'What both processes need depends on neither of them.',
    ),
    {
      name: 'only-open-services-picks-adapters',
      comment: 'One composition root; tests and measurements may open single adapters.',
      severity: 'error',
      from: {
        path: production,
        pathNot: ['^shared/(open-[a-z-]+|[a-z-]+-engine)\\.ts$', '^shared/adapters/'],
      },
      to: { path: '^shared/adapters/' },
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
      ['^cli/'],
      'The client is one file that runs without the service. Types count too: swc cannot tell them from code.',
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
      ['^browser/'],
      'Scripts of our pages know the markup, and nothing of the service.',
    ),
    {
      name: 'browser-runs-in-browsers',
      severity: 'error',
      from: { path: '^browser/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'rules-are-pure',
      comment: 'No files, sockets, threads or processes in rules and contracts.',
      severity: 'error',
      from: { path: '^shared/(domain/|html/|ports/|services/|util/|job-catalogue\\.ts)' },
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
