import { type ChildProcess, fork } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MochaOptions } from 'mocha';
import type { RunReport } from './run-report.ts';
import type { TestEvent, TestFile, TestRequest } from './test-events.ts';

/** How long a test and the hooks after it may go on when the run is interrupted. */
const abortMs = 5_000;

/** What all processes of a pool get. */
export interface PoolSettings {
  readonly processes: number;
  readonly options: MochaOptions;
  readonly env: Readonly<Record<string, string>>;
  /** The tests write to memory where Linux offers 1 GiB, so that commits need no disk. It may forbid to execute files. */
  readonly inMemory: boolean;
}

/** Runs test files in several processes; each takes the next file when it has ended one. */
export class TestPool {
  readonly #settings: PoolSettings;
  readonly #report: RunReport;
  readonly #running = new Set<TestProcess>();
  #waiting: TestFile[];

  constructor(files: readonly TestFile[], settings: PoolSettings, report: RunReport) {
    this.#waiting = [...files];
    this.#settings = settings;
    this.#report = report;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#settings.processes }, (_, lane) => this.#runLane(lane)));
  }

  /** No further file begins; what runs gets some seconds for its hooks. */
  abort(): void {
    this.#waiting = [];
    for (const running of this.#running) running.abort();
  }

  /** Half of the processes begin with each engine, because files of one kind alone would measure the machine. */
  async #runLane(lane: number): Promise<void> {
    let engine: TestFile['engine'] = lane % 2 === 0 ? 'embedded' : 'scale-out';
    let own: TestProcess | undefined;
    for (let file = this.#take(engine); file !== undefined; file = this.#take(engine)) {
      if (file.engine !== engine) own = await this.#end(own);
      engine = file.engine;
      own ??= this.#start(engine);
      const isUsable = await own.run(file);
      if (!isUsable) own = await this.#end(own);
    }
    await this.#end(own);
  }

  /** The next file of the engine that a process has already, or else any. */
  #take(engine: TestFile['engine']): TestFile | undefined {
    const index = this.#waiting.findIndex((file) => file.engine === engine);
    return this.#waiting.splice(Math.max(0, index), 1)[0];
  }

  #start(engine: TestFile['engine']): TestProcess {
    const started = new TestProcess(engine, this.#settings, this.#report);
    this.#running.add(started);
    return started;
  }

  async #end(ended: TestProcess | undefined): Promise<undefined> {
    if (ended === undefined) return;
    await ended.end();
    this.#running.delete(ended);
  }
}

/** A process that runs test files, one after the other. */
class TestProcess {
  readonly #child: ChildProcess;
  /** How the process ended. */
  readonly #exited: Promise<string>;
  readonly #report: RunReport;
  readonly #folder: string;
  #file: TestFile | undefined;
  #isAborted = false;
  /** Ends the wait for the file that runs. */
  #settle: (isUsable: boolean) => void = () => undefined;

  constructor(engine: TestFile['engine'], { options, env, inMemory }: PoolSettings, report: RunReport) {
    const { MONGODB_URI, REDIS_URL, TEST_ENGINE, ...others } = process.env;
    const servers = engine === 'scale-out' ? { MONGODB_URI, REDIS_URL, TEST_ENGINE: engine } : {};
    this.#report = report;
    this.#folder = makeFolder(inMemory);
    this.#child = fork(join(import.meta.dirname, 'test-process.js'), [JSON.stringify(options)], {
      env: { ...others, ...env, ...servers, TMPDIR: this.#folder },
    });
    this.#child.on('message', (message) => this.#take(message as TestEvent)); // only reporter.ts and test-process.ts send
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    void this.#exited.then((reason) => this.#lose(reason));
  }

  /** @returns whether it can run another file */
  run(file: TestFile): Promise<boolean> {
    this.#file = file;
    this.#report.begin(file);
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#ask({ kind: 'run', file });
    });
  }

  abort(): void {
    this.#isAborted = true;
    this.#ask({ kind: 'abort' });
    setTimeout(() => this.#child.kill('SIGKILL'), abortMs).unref();
  }

  /** Waits until it has closed what its files opened. */
  async end(): Promise<void> {
    this.#ask({ kind: 'end' });
    await this.#exited;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 }); // a process that is just ending may still write
  }

  #ask(request: TestRequest): void {
    if (this.#child.connected) this.#child.send(request);
  }

  #take(event: TestEvent): void {
    if (event.kind !== 'ended') {
      this.#report.add(this.#file, event);
      return;
    }
    this.#report.end(this.#file, event);
    this.#file = undefined;
    this.#settle(!event.timedOut);
  }

  /** A process that ends while it runs a file is a failure of that file, unless the run was interrupted. */
  #lose(reason: string): void {
    if (this.#file === undefined) return;
    const text = `its process ended (${reason})`;
    if (!this.#isAborted)
      this.#report.add(this.#file, { kind: 'failed', title: 'the file does not end', text, pattern: null });
    this.#report.end(this.#file, { ms: 0, cpuMs: 0, notRun: 0, timedOut: false });
    this.#file = undefined;
    this.#settle(false);
  }
}

function makeFolder(inMemory: boolean): string {
  const prefix = 'dropleaf-run-';
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    accessSync('/dev/shm', constants.W_OK);
    if (inMemory && bavail * bsize >= 2 ** 30) return mkdtempSync(join('/dev/shm', prefix));
  } catch {
    // there is no such folder, or it is not writable
  }
  return mkdtempSync(join(tmpdir(), prefix));
}
