// A process of the test runner (test/run.ts): runs one file after the other, as the runner asks, and says what happens.
// usage: test-process.js OPTIONS, those of mocha as JSON
import Mocha from 'mocha';
import Reporter, { describeError, takeCpuMs } from './reporter.ts';
import { endRun } from './run-end.ts';
import type { TestEvent, TestFile, TestRequest } from './test-events.ts';

/** How long after the last test everything that tests opened must be closed. */
const closeMs = 10_000;

const options = JSON.parse(process.argv[2] ?? '{}') as Mocha.MochaOptions; // test/support/test-pool.ts writes it
let runner: Mocha.Runner | undefined;
let engine: TestFile['engine'] = 'embedded';

process.on('SIGINT', () => undefined); // the terminal's reaches the runner, too, which asks to abort
process.on('message', answer);
process.once('disconnect', () => process.exit(1)); // the runner is gone

function answer(message: unknown): void {
  const request = message as TestRequest; // only the runner sends messages
  if (request.kind === 'run') void runFile(request.file);
  else if (request.kind === 'abort') runner?.abort();
  else void end();
}

async function runFile(file: TestFile): Promise<void> {
  engine = file.engine;
  try {
    const mocha = new Mocha({ timeout: 120_000, ...options, reporter: Reporter });
    if (engine === 'scale-out') mocha.rootHooks((await import('./need-servers.ts')).mochaHooks);
    mocha.addFile(file.path);
    await mocha.loadFilesAsync();
    runner = mocha.run(() => mocha.dispose());
  } catch (error) {
    const text = describeError(error instanceof Error ? error : new Error(String(error)));
    send({ kind: 'failed', title: 'the file does not load', text, pattern: null });
    send({ kind: 'ended', ms: 0, cpuMs: takeCpuMs(), notRun: 0, timedOut: false });
  }
}

/** What tests left open keeps the process alive, which is a failure; on the scale-out engine connections may end later. */
async function end(): Promise<void> {
  await endRun();
  if (engine === 'scale-out') process.exit(0);
  process.off('message', answer);
  process.channel?.unref();
  setTimeout(() => {
    const text = process.getActiveResourcesInfo().join(', ');
    send({ kind: 'failed', title: 'tests left these open', text, pattern: null });
    process.exit(1);
  }, closeMs).unref();
}

function send(event: TestEvent): void {
  process.send?.(event);
}
