// Runs the tests of both engines, each in a mocha of its own. The servers of the scale-out engine are found, or started,
// while the embedded engine's tests run, and stopped at the end. The closing lines say which tests were skipped, why
// and how to run them, then how many ran on which engine, and last the sum.
// usage: run.js [--engine embedded|scale-out] [what mocha takes] [names of test files]
import { type Engine, type EngineRun, readArguments, runTests, skipTests } from './engine-run.ts';
import { createCache } from './servers/cache.ts';
import { findServers } from './servers/find.ts';
import { createKeepers } from './servers/keepers.ts';
import type { Found } from './servers/search.ts';
import { findTools, findVarnish } from './servers/tools.ts';
import { describeOutcome, describeSkips, noTests, type Outcome, sum } from './support/outcome.ts';

/** What came of one engine's tests. */
interface Result {
  readonly engine: Engine;
  readonly outcome: Outcome;
  /** Why none ran. */
  readonly remark?: string;
}

/** How long mocha may take to end by itself after a signal. */
const graceMs = 5_000;

const cure =
  'Set MONGODB_URI and REDIS_URL to databases that tests may fill, or start Docker, or be root on Debian with Go in PATH.';

const { engines, args } = readArguments(process.argv.slice(2));
const keepers = createKeepers();
const search = { env: process.env, keepers, cache: createCache(keepers), say };
let current: EngineRun | undefined;
let stopped = false;

for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
const results = await testAll().finally(() => keepers.stopAll());
for (const { engine, outcome } of results) describeSkips(engine, outcome.skipped).forEach(say);
for (const { engine, outcome, remark } of results) {
  say(`${engine} engine: ${remark ?? describeOutcome(outcome)}`);
}
if (stopped) say('The run was interrupted.');
const total = sum(results.map(({ outcome }) => outcome));
say(describeOutcome(total));
process.exitCode = stopped || total.failed > 0 ? 1 : 0;

async function testAll(): Promise<Result[]> {
  const results: Result[] = [];
  const preparing = engines.includes('scale-out') ? prepare() : null;
  if (engines.includes('embedded')) {
    const { MONGODB_URI, REDIS_URL, TEST_ENGINE, ...own } = process.env;
    const env = { ...own, ...(await findVarnish(search)) };
    results.push({ engine: 'embedded', outcome: await test('embedded', env) });
  }
  const prepared = await preparing;
  if (prepared !== null && !stopped) results.push(await testScaleOut(prepared));
  return results;
}

interface Prepared {
  readonly found: Found;
  readonly tools: Readonly<Record<string, string>>;
}

async function prepare(): Promise<Prepared> {
  try {
    const found = await findServers(search);
    return { found, tools: found.kind === 'servers' ? await findTools(search) : {} };
  } catch (error) {
    return { found: { kind: 'wrong', reason: String(error) }, tools: {} }; // it is told when its turn comes
  }
}

async function testScaleOut({ found, tools }: Prepared): Promise<Result> {
  if (found.kind !== 'servers') return tellMissing(found);
  say(`\nThe scale-out engine is tested with ${found.from}.`);
  const outcome = await test('scale-out', {
    ...process.env,
    ...tools,
    MONGODB_URI: found.mongodbUri,
    REDIS_URL: found.redisUrl,
    TEST_ENGINE: 'scale-out',
  });
  if (found.keeper?.isRunning() === false)
    say(`The test servers ended too early: ${found.keeper.lastWords()}`);
  return { engine: 'scale-out', outcome };
}

async function test(engine: Engine, env: NodeJS.ProcessEnv): Promise<Outcome> {
  current = runTests(engine, args, env);
  return current.outcome;
}

/** Servers that were named must serve, and on a machine of CI there must be some; elsewhere the tests are skipped. */
function tellMissing(found: Exclude<Found, { kind: 'servers' }>): Result {
  const engine = 'scale-out';
  const reasons = found.kind === 'wrong' ? [found.reason] : found.reasons;
  const why = reasons.map((reason) => `\n  - ${reason.replaceAll('\n', '\n    ')}`).join('');
  const needed = `it needs MongoDB and Redis. ${cure}${why}`;
  if (found.kind !== 'wrong' && !isSet(process.env.CI)) {
    return { engine, outcome: skipTests(engine, args, needed) };
  }
  say(`\nThe scale-out engine was not tested: ${needed}`);
  return { engine, outcome: { ...noTests, failed: 1 }, remark: 'not tested, which counts as 1 failed' };
}

function isSet(flag: string | undefined): boolean {
  return flag !== undefined && !['', '0', 'false'].includes(flag);
}

/** The first signal ends all in order, the second at once: what was started ends with this process anyway. */
function stop(signal: NodeJS.Signals): void {
  if (stopped) process.exit(1);
  stopped = true;
  current?.kill(signal);
  setTimeout(() => current?.kill('SIGKILL'), graceMs).unref();
  void keepers.stopAll();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
