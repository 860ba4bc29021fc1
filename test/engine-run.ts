import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeRunDir } from './run-dir.ts';
import { noTests, type Outcome, sourceOf } from './support/outcome.ts';

const engines = ['embedded', 'scale-out'] as const;
export type Engine = (typeof engines)[number];

/** A run of mocha over one engine's tests. */
export interface EngineRun {
  readonly outcome: Promise<Outcome>;
  /** Passes a signal on to mocha and all that its tests have started. */
  kill(signal: NodeJS.Signals): void;
}

/** This file is compiled into `dist/test/`. */
const testDir = fileURLToPath(new URL('.', import.meta.url));
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

/**
 * What the runner was told: `--engine NAME` (also `--engine=NAME`) is its own, the rest is mocha's.
 * @throws Error when there is no such engine
 */
export function readArguments(given: readonly string[]): { engines: readonly Engine[]; args: string[] } {
  const args = given.flatMap((arg) => (arg.startsWith('--engine=') ? ['--engine', arg.slice(9)] : [arg]));
  const at = args.indexOf('--engine');
  if (at < 0) return { engines, args };
  const [, name] = args.splice(at, 2);
  const chosen = engines.filter((engine) => engine === name);
  if (chosen.length === 0) throw new Error(`--engine is one of ${engines.join(', ')}`);
  return { engines: chosen, args };
}

/** The compiled test files of an engine: the embedded one's are all that do not say `scale-out`. */
function testFiles(engine: Engine): string[] {
  const files = readdirSync(testDir, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .sort();
  const isOwn = (file: string) => file.endsWith('.scale-out.test.js');
  if (engine === 'embedded') return files.filter((file) => !isOwn(file)).map(inProject);
  return files.filter((file) => isOwn(file) || /^(api|hostile)[\\/]/.test(file)).map(inProject);
}

/**
 * Runs mocha; its report goes to the terminal as it comes. A mocha that ends without an outcome counts as one failed
 * test.
 * @param args mocha's own; those that name test files (`.test.ts` or `.test.js`) stand for the engine's
 * @param env the whole environment of the tests
 */
export function runTests(engine: Engine, args: readonly string[], env: NodeJS.ProcessEnv): EngineRun {
  const { files, options } = chooseFiles(testFiles(engine), args);
  if (files.length === 0) return { outcome: Promise.resolve(noTests), kill: () => undefined };

  const folder = makeRunDir();
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }); // what was ended may still write
  process.once('exit', remove); // after a second signal, which waits for nothing
  const file = join(folder, 'outcome.json');
  const reporter = join(testDir, 'support', 'reporter.js');
  const child = spawn(process.execPath, [mocha, '--reporter', reporter, ...options, ...files], {
    env: { ...env, TMPDIR: folder, TEST_OUTCOME: file },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true, // a group of its own: a signal reaches what tests have started, and comes once
  });
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(readOutcome(file, code, signal));
      process.off('exit', remove);
      remove();
    });
  });
  return {
    outcome,
    kill(signal) {
      const runs = child.exitCode === null && child.signalCode === null;
      if (runs && child.pid !== undefined) process.kill(-child.pid, signal);
    },
  };
}

/**
 * What comes of tests that nothing can run now: each is skipped. Mocha names them without running them.
 * @param args as in `runTests`
 */
export function skipTests(engine: Engine, args: readonly string[], reason: string): Outcome {
  const { files, options } = chooseFiles(testFiles(engine), args);
  if (files.length === 0) return noTests;
  const folder = makeRunDir();
  const file = join(folder, 'tests.json');
  const list = ['--dry-run', '--reporter', 'json', '--reporter-option', `output=${file}`];
  const { status, stderr } = spawnSync(process.execPath, [mocha, ...options, ...list, ...files], {
    encoding: 'utf8',
  });
  const tests = status === 0 ? (JSON.parse(readFileSync(file, 'utf8')) as Listed).tests : null; // proof: mocha's format
  rmSync(folder, { recursive: true });
  if (tests !== null) {
    return { ...noTests, skipped: tests.map((test) => ({ reason, file: sourceOf(test.file) })) };
  }
  process.stdout.write(`mocha cannot list the tests of the ${engine} engine: ${stderr}\n`);
  return { ...noTests, failed: 1 };
}

interface Listed {
  readonly tests: readonly { readonly file: string }[];
}

const inProject = (file: string) => relative('.', join(testDir, file));

/** The files that the arguments name, as sources or compiled, of those that there are; else all. */
function chooseFiles(all: readonly string[], args: readonly string[]) {
  const namesFile = (arg: string) => /\.test\.[jt]s$/.test(arg);
  const names = args.filter(namesFile).map((arg) => `/${arg.replace(/^(\.\/)?(dist\/)?|\.[jt]s$/g, '')}.js`);
  return {
    files: names.length === 0 ? all : all.filter((file) => names.some((name) => `/${file}`.endsWith(name))),
    options: args.filter((arg) => !namesFile(arg)),
  };
}

function readOutcome(file: string, code: number | null, signal: NodeJS.Signals | null): Outcome {
  if (!existsSync(file)) {
    process.stdout.write(`mocha ended before its tests did (${signal ?? `exit code ${code}`})\n`);
    return { ...noTests, failed: 1 };
  }
  const outcome = JSON.parse(readFileSync(file, 'utf8')) as Outcome; // proof: the reporter wrote it
  return code === 0 || outcome.failed > 0 ? outcome : { ...outcome, failed: 1 };
}
