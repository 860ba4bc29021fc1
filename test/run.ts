// Runs the tests and adds up their results. The name of a test file decides when it runs:
//   quick         *.test.ts: the embedded engine, inside the test processes, with Node alone
//   slow          *.slow.test.ts, and all files in browser, crash and edge: they start processes, browsers or proxies
//   scale-out     *.scale-out.test.ts: they need MongoDB and Redis
//   again         the quick files in api again, on MongoDB and Redis, except those named in `once`
// usage: run.js [--all | --rest | --landing] [--engine embedded|scale-out] [test files and folders] [-g PATTERN] [--timeout MS]
//               [--forbid-only] [--processes N] [--cpu]
//   `npm test` runs the quick tests, `--rest` all others, `--landing` those of them that CI runs before a change lands, `--all`
//   everything.
//   `--engine` alone means all tests of one engine. Named files, as sources or compiled, and those of named folders
//   (`test/pages`) run on the embedded engine, `*.scale-out.test.ts` on the other. `-g` selects tests by their titles.
//   `--cpu` adds the CPU time of each file.
//   Exit code 0: no test failed; 1: a test failed, or the run was interrupted; 2: the command line is wrong.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { MochaOptions } from 'mocha';
import { isAtLanding, testsIn } from './support/landing-files.ts';
import { RunReport } from './support/run-report.ts';
import type { TestFile } from './support/test-events.ts';
import { TestPool } from './support/test-pool.ts';

const engines = ['embedded', 'scale-out'] as const;
type Engine = (typeof engines)[number];

/** A file of a kind. */
interface PlannedFile {
  /** From the folder of the compiled tests. */
  readonly name: string;
  readonly kind: 'quick' | 'slow' | 'scale-out' | 'again';
  readonly engine: Engine;
}

const isScaleOut = (name: string) => name.endsWith('.scale-out.test.js');
const isSlow = (name: string) => /\.slow\.test\.js$|^(browser|crash|edge)\//.test(name);
/** Tested on one engine: what is decided before a store is asked, and what headers and pages say of what was read. */
const once = new Set(
  testsIn(
    'api',
    `agent-files assets bodies bodies-in-flight client-address content-hosts content-origin errors help hostile-heads html-bodies
     indexing mcp-hosts mcp-http memory-budget multipart onboard operators-access raw-header-lists security-txt`,
  ),
);
/**
 * Files that wait nearly all the time, for leases, limits of time and restarts: one process runs them beside the others, which
 * compute.
 */
const waiting = [
  ...testsIn('scale-out', 'lost-replies.scale-out crash.scale-out faults-network.scale-out'),
  ...testsIn('crash', 'crash'),
  ...testsIn('adapters', 'bullmq.scale-out'),
  ...testsIn('bin', 'processes.scale-out'),
  ...testsIn('cli', 'sign-in.slow'),
  ...testsIn('scale-out', 'many-processes.scale-out slow-database.scale-out'),
  ...testsIn('adapters', 'mongo-connection.scale-out redis-connection.scale-out'),
];
/** The longest of each kind begin first, so that none runs alone at the end: a minute and more, a quick one 5 s of CPU. */
const longest = [
  ...testsIn('contract', 'sqlite'),
  ...testsIn('adapters', 'threads-contexts'),
  ...testsIn('browser', 'viewer-page approve comments-round dashboard-new'),
  ...testsIn('worker', 'faults.scale-out faults.slow'),
  ...testsIn('contract', 'mongo.scale-out'),
  ...testsIn('scale-out', 'alerts.scale-out'),
];
const runsOnBoth = (name: string) => /^api\//.test(name) && !isSlow(name) && !once.has(name);

const { values: flags, positionals: paths } = parseCommandLine();
const planned = plan();
const report = new RunReport(planned.length, flags.cpu, say);
let interrupted = false;
const pools: TestPool[] = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

// The files spread over the cores, and one more runs while others wait: with more, tests of faults would measure the machine.
const processes = Number(flags.processes ?? Math.min(5, availableParallelism() + 1));
await runAll('quick', processes);
await Promise.all([runAll('waiting', 1), runAll('computing', processes)]);
report.close(interrupted);
process.exitCode = interrupted || report.failed > 0 ? 1 : 0;

function parseCommandLine() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        rest: { type: 'boolean', default: false },
        landing: { type: 'boolean', default: false },
        engine: { type: 'string' },
        grep: { type: 'string', short: 'g' },
        timeout: { type: 'string' },
        'forbid-only': { type: 'boolean', default: false },
        processes: { type: 'string' },
        cpu: { type: 'boolean', default: false },
        tests: { type: 'string', default: import.meta.dirname }, // dist/test; the tests of this file have others
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Ends the process because the command line is wrong: one line on standard error, exit code 2. */
function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Of the files that are not quick, those that wait run beside the others, unless the processes were counted by hand. */
function groupOf({ name, kind }: PlannedFile): 'quick' | 'waiting' | 'computing' {
  if (kind === 'quick') return 'quick';
  return waiting.includes(name) && flags.processes === undefined ? 'waiting' : 'computing';
}

async function runAll(group: ReturnType<typeof groupOf>, processes: number): Promise<void> {
  const files = planned.filter((file) => groupOf(file) === group);
  if (files.length === 0 || interrupted) return;
  const settings = {
    processes: Math.min(processes, files.length),
    options: mochaOptions(),
    env: flags.landing ? { TEST_LANDING: '1' } : {},
    inMemory: group === 'quick',
  };
  const pool = new TestPool(files.map(toTestFile), settings, report);
  pools.push(pool);
  await pool.run();
}

function interrupt(): void {
  interrupted = true;
  for (const pool of pools) pool.abort();
}

function mochaOptions(): MochaOptions {
  const { grep, timeout } = flags;
  return {
    forbidOnly: flags['forbid-only'],
    ...(grep === undefined ? {} : { grep }),
    ...(timeout === undefined ? {} : { timeout: Number(timeout) }),
  };
}

/** The files that the command line asks for. */
function plan(): PlannedFile[] {
  const { all, rest, landing, engine } = flags;
  if (engine !== undefined && !engines.some((name) => name === engine)) {
    refuse(`--engine must be ${engines.join(' or ')} (got ${engine})`);
  }
  const known = allFiles();
  const whereNot =
    engine === undefined ? `with --${landing ? 'landing' : 'rest'}` : `on the ${engine} engine`;
  const files = known.filter((file) => engine === undefined || file.engine === engine).filter(isAskedFor);
  for (const path of paths) {
    const isIn = ({ name }: PlannedFile) => isAnyOf([path])(name);
    if (!known.some(isIn)) refuse(`No test file or folder is called ${path}`);
    if (!files.some(isIn)) say(`${path} is not run ${whereNot}`);
  }
  if (files.length === 0) refuse('No tests to run');
  return files;

  function isAskedFor({ name, kind }: PlannedFile): boolean {
    if (paths.length > 0 && !isAnyOf(paths)(name)) return false;
    if (landing) return kind !== 'quick' && isAtLanding(name, kind === 'again');
    if (rest) return kind !== 'quick';
    if (paths.length > 0) return engine !== undefined || kind !== 'again';
    return all || engine !== undefined || kind === 'quick';
  }
}

/** Whether a compiled test is one of the named files, or in one of the named folders. */
function isAnyOf(named: readonly string[]): (file: string) => boolean {
  const names = named.map((path) =>
    path
      .replace(/^(\.\/)?((dist\/)?test\/)?/, '/')
      .replace(/\.ts$/, '.js')
      .replace(/\/$/, ''),
  );
  return (file) => names.some((name) => `/${file}`.endsWith(name) || file.startsWith(`${name.slice(1)}/`));
}

function allFiles(): PlannedFile[] {
  const names = readdirSync(flags.tests, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.js'))
    .sort(byLength);
  const embedded = names.filter((name) => !isScaleOut(name));
  return [
    ...embedded.map((name) => ({ name, kind: isSlow(name) ? 'slow' : 'quick', engine: 'embedded' }) as const),
    ...names.filter(isScaleOut).map((name) => ({ name, kind: 'scale-out', engine: 'scale-out' }) as const),
    ...embedded.filter(runsOnBoth).map((name) => ({ name, kind: 'again', engine: 'scale-out' }) as const),
  ];
}

/** Those of api come last: they are many and short, so that all processes end at about the same time. */
function byLength(one: string, other: string): number {
  return placeOf(one) - placeOf(other) || (one < other ? -1 : 1);
}

function placeOf(name: string): number {
  const first = [...waiting, ...longest];
  if (first.includes(name)) return first.indexOf(name) - first.length;
  return name.startsWith('api/') ? 1 : 0;
}

function toTestFile({ name, kind, engine }: PlannedFile): TestFile {
  const source = `test/${name.replace(/\.js$/, '.ts')}`;
  return { path: join(flags.tests, name), source, engine, isAgain: kind === 'again' };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
