// Runs the tests and adds up their results. The name of a test file decides when it runs:
//   quick         *.test.ts: the embedded engine, inside mocha's processes, with Node alone
//   slow          *.slow.test.ts, and all files in browser, crash and edge: they start processes, browsers or proxies
//   scale-out     *.scale-out.test.ts: they need MongoDB and Redis
//   again         the quick files in api again, on MongoDB and Redis, except those named in `once`
// usage: run.js [--all | --rest] [--engine embedded|scale-out] [test files and folders] [options of mocha]
//   `npm test` runs the quick tests, `--rest` all others, `--all` everything. `--engine` alone means all tests of one
//   engine. Named files, as sources or compiled, and those of named folders (`test/pages`) run on the embedded engine,
//   `*.scale-out.test.ts` on the other.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { Outcome } from './support/reporter.ts';

const engines = ['embedded', 'scale-out'] as const;
type Engine = (typeof engines)[number];

/** One run of mocha. */
interface Run {
  readonly name: 'quick' | 'slow' | 'scale-out' | 'again';
  readonly engine: Engine;
  readonly files: readonly string[];
}

const testDir = import.meta.dirname; // dist/test
const isScaleOut = (file: string) => file.endsWith('.scale-out.test.js');
const isSlow = (file: string) => /\.slow\.test\.js$|^(browser|crash|edge)\//.test(file);
/**
 * Tested on one engine: what is decided before a store is asked, and what headers and pages say of what was read.
 */
const once =
  /^api\/(agent-files|assets|bodies|bodies-in-flight|client-address|content-hosts|content-origin|errors|help|hostile-heads|memory-budget|html-bodies|indexing|mcp-hosts|mcp-http|multipart|onboard|operators-access|raw-header-lists|security-txt)\.test\.js$/;
const runsOnBoth = (file: string) => /^api\//.test(file) && !isSlow(file) && !once.test(file);
const hasOneEngine = (run: Run) => (file: string) => run.engine === 'embedded' || isScaleOut(file);
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
/** Mocha ends itself when the terminal sends SIGINT to the whole group; the other signals are passed on to it. */
let interrupted = false;
process.on('SIGINT', () => {
  interrupted = true;
});

const { runs, options } = plan(process.argv.slice(2));
const outcomes: Outcome[] = [];
for (const run of runs) if (run.name === 'quick') outcomes.push(await runMocha(run, options));
// The others wait more than they compute, so four run at the same time: of each kind some, because those that start
// processes and browsers, all at once, would make tests of faults measure the machine.
const others = divide(runs.filter(({ name }) => name !== 'quick'));
await Promise.all(Array.from({ length: 4 }, runNext));
for (const line of outcomes.flatMap(({ skipped }) => describeSkips(skipped))) say(line);
// Again at the end: in the output of four runs at once a failure stands far above.
for (const failure of outcomes.flatMap(({ failures }) => failures)) say(`FAILED ${failure}`);
const [passed, failed] = [sum(outcomes.map((one) => one.passed)), sum(outcomes.map((one) => one.failed))];
const skipped = sum(outcomes.map((one) => one.skipped.length));
if (interrupted) say('The run was interrupted.');
say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = interrupted || failed > 0 ? 1 : 0;

/** Runs what is left, one after the other. */
async function runNext(): Promise<void> {
  for (let run = others.shift(); run !== undefined && !interrupted; run = others.shift())
    outcomes.push(await runMocha(run, options));
}

/** Many files are several runs, in turn of each of these, so that all end at about the same time. */
function divide(whole: readonly Run[]): Run[] {
  const count = sum(whole.map(({ files }) => files.length)) < 20 ? 1 : 4;
  const parts = Array.from({ length: count }, (_, part) =>
    whole.map((run) => ({ ...run, files: run.files.filter((_, index) => index % count === part) })),
  );
  return parts.flat().filter(({ files }) => files.length > 0);
}

/** Which runs the command line asks for, and the arguments that mocha gets. */
function plan(given: readonly string[]): { runs: Run[]; options: string[] } {
  const args = given.flatMap((arg) => (arg.startsWith('--engine=') ? ['--engine', arg.slice(9)] : [arg]));
  const take = (flag: string, count: number) =>
    args.includes(flag) ? args.splice(args.indexOf(flag), count) : [];
  const [all, rest] = [take('--all', 1).length > 0, take('--rest', 1).length > 0];
  const [flag, engine] = take('--engine', 2);
  if (flag && !engines.some((name) => name === engine)) {
    throw new Error(`--engine must be ${engines.join(' or ')} (got ${engine})`);
  }
  const isPath = (arg: string) => /\.test\.[jt]s$|^(\.\/)?(dist\/)?test\//.test(arg);
  const paths = args.filter(isPath);
  const isQuickOnly = paths.length === 0 && engine === undefined && !all && !rest;

  const runs = allRuns()
    .filter((run) => engine === undefined || run.engine === engine)
    .filter((run) => (isQuickOnly ? run.name === 'quick' : !rest || run.name !== 'quick'))
    .map((run) => (paths.length === 0 ? run : { ...run, files: run.files.filter(isAnyOf(paths)) }))
    .map((run) =>
      engine || paths.length === 0 ? run : { ...run, files: run.files.filter(hasOneEngine(run)) },
    )
    .filter((run) => run.files.length > 0);
  for (const path of paths) {
    const isIn = ({ files }: Run) => files.some(isAnyOf([path]));
    if (!allRuns().some(isIn)) throw new Error(`No test is called ${path}`);
    if (!runs.some(isIn))
      say(`${path} is not run ${engine === undefined ? 'with --rest' : `on the ${engine} engine`}`);
  }
  if (runs.length === 0) throw new Error('No tests to run');
  return { runs, options: args.filter((arg) => !isPath(arg)) };
}

/** Whether a compiled test is one of the named files, or in one of the named folders. */
function isAnyOf(paths: readonly string[]): (file: string) => boolean {
  const names = paths.map((path) =>
    path
      .replace(/^(\.\/)?((dist\/)?test\/)?/, '/')
      .replace(/\.ts$/, '.js')
      .replace(/\/$/, ''),
  );
  return (file) => names.some((name) => `/${file}`.endsWith(name) || file.startsWith(`${name.slice(1)}/`));
}

function allRuns(): Run[] {
  const files = readdirSync(testDir, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.test.js'))
    .sort();
  const embedded = files.filter((file) => !isScaleOut(file));
  return [
    { name: 'quick', engine: 'embedded', files: embedded.filter((file) => !isSlow(file)) },
    { name: 'slow', engine: 'embedded', files: embedded.filter(isSlow) },
    { name: 'scale-out', engine: 'scale-out', files: files.filter(isScaleOut) },
    { name: 'again', engine: 'scale-out', files: embedded.filter(runsOnBoth) },
  ];
}

/** A mocha that ends without an outcome counts as one failed test. */
async function runMocha({ name, engine, files }: Run, options: readonly string[]): Promise<Outcome> {
  const { MONGODB_URI, REDIS_URL, TEST_ENGINE, ...env } = process.env;
  const servers = engine === 'scale-out' ? { MONGODB_URI, REDIS_URL, TEST_ENGINE: engine } : {};
  if (runs.length > 1) say(`${name} tests, ${engine} engine: ${files.length} files`);
  const folder = makeRunFolder(name);
  // Quick tests spread over the cores, and one more runs while others wait; the others start many processes each.
  const jobs = Math.min(5, availableParallelism() + 1);
  const own = [
    ...['--reporter', join(testDir, 'support', 'reporter.js')],
    ...(name === 'quick' && files.length > 2 ? ['--parallel', '--jobs', `${jobs}`] : []),
    ...(engine === 'scale-out' ? ['--exit', '--require', join(testDir, 'support', 'need-servers.js')] : []),
  ];
  const paths = files.map((file) => relative('.', join(testDir, file)));
  const child = spawn(process.execPath, [mocha, ...own, ...options, ...paths], {
    env: { ...env, ...servers, TMPDIR: folder },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, passOn);
  let outcome: Outcome | undefined;
  child.on('message', (message) => {
    outcome = message as Outcome; // only reporter.ts sends messages
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('exit', (...ended) => resolve(ended));
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, passOn);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 }); // a process that is just ending may still write
  if (signal !== null) interrupted = true;
  if (outcome !== undefined && (code === 0 || outcome.failed > 0)) return outcome;
  const failure = `mocha failed (${signal ?? `exit code ${code}`})`;
  say(failure);
  return { passed: 0, skipped: [], ...outcome, failed: 1, failures: [`${name} tests: ${failure}`] };
}

/** In memory where Linux offers 1 GiB, so that commits need no disk; slow tests execute files, which /dev/shm may forbid. */
function makeRunFolder(name: Run['name']): string {
  const prefix = 'dropleaf-run-';
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    accessSync('/dev/shm', constants.W_OK);
    if (name === 'quick' && bavail * bsize >= 2 ** 30) return mkdtempSync(join('/dev/shm', prefix));
  } catch {
    // there is no such folder, or it is not writable
  }
  return mkdtempSync(join(tmpdir(), prefix));
}

/** One line for each reason, with the number of tests and up to three of their files. */
function describeSkips(skipped: Outcome['skipped']): string[] {
  return [...new Set(skipped.map(({ reason }) => reason))].map((reason) => {
    const skips = skipped.filter((skip) => skip.reason === reason);
    const files = [...new Set(skips.map(({ file }) => file))];
    const named =
      files.slice(0, 3).join(' ') + (files.length > 3 ? ` and ${files.length - 3} more files` : '');
    return `skipped ${skips.length} ${skips.length === 1 ? 'test' : 'tests'}: ${reason} (${named})`;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
