import type { Failure, FileEnd, TestEvent, TestFile } from './test-events.ts';

/** What has happened in a file so far. */
interface Progress {
  passed: number;
  failed: number;
  skipped: number;
}

const slowestShown = 10;

/** Prints what happens in a run of tests, and at its end what failed, what was skipped and what took long. */
export class RunReport {
  readonly #print: (line: string) => void;
  readonly #fileCount: number;
  /** Of few files the run names each test. */
  readonly #namesTests: boolean;
  readonly #showsCpu: boolean;
  readonly #progress = new Map<TestFile, Progress>();
  readonly #failures: string[] = [];
  readonly #skips: { readonly reason: string; readonly source: string }[] = [];
  readonly #times: { readonly ms: number; readonly name: string }[] = [];
  #endedFiles = 0;
  #cpuMs = 0;
  #passed = 0;

  constructor(fileCount: number, showsCpu: boolean, print: (line: string) => void) {
    this.#fileCount = fileCount;
    this.#namesTests = fileCount <= 2;
    this.#showsCpu = showsCpu;
    this.#print = print;
  }

  get failed(): number {
    return this.#failures.length;
  }

  begin(file: TestFile): void {
    this.#progress.set(file, { passed: 0, failed: 0, skipped: 0 });
  }

  /** @param file undefined: the process has no file any more */
  add(file: TestFile | undefined, event: Exclude<TestEvent, { kind: 'ended' }>): void {
    const progress = file && this.#progress.get(file);
    if (progress !== undefined) progress[event.kind] += 1;
    if (event.kind === 'failed') {
      this.#addFailure(file, event);
      return;
    }
    const name = `${file?.source ?? ''}: ${event.title}`;
    if (this.#namesTests) this.#print(`${event.kind}: ${event.title}`);
    if (event.kind === 'skipped') {
      this.#skips.push({ reason: event.reason, source: file?.source ?? '' });
      return;
    }
    this.#passed += 1;
    this.#times.push({ ms: event.ms, name });
  }

  end(file: TestFile | undefined, { ms, cpuMs, notRun }: FileEnd): void {
    const progress = file && this.#progress.get(file);
    if (file === undefined || progress === undefined) return;
    this.#endedFiles += 1;
    const { passed, failed, skipped } = progress;
    const counts = [`${passed} passed`];
    if (failed > 0) counts.push(`${failed} FAILED`);
    if (skipped > 0) counts.push(`${skipped} skipped`);
    if (notRun > 0) counts.push(`${notRun} not run`);
    this.#cpuMs += cpuMs;
    const times = this.#showsCpu ? `${seconds(ms)}, CPU ${seconds(cpuMs)}` : seconds(ms);
    const place = `${this.#endedFiles} of ${this.#fileCount} files`;
    this.#print(`${describeFile(file)}: ${counts.join(', ')} (${times}, ${place})`);
  }

  /** The last line is the sum. */
  close(interrupted: boolean): void {
    if (!this.#namesTests) this.#printSlowest();
    for (const line of describeSkips(this.#skips)) this.#print(line);
    for (const failure of this.#failures) this.#print(failure); // again: the first time stands far above
    if (interrupted)
      this.#print(`The run was interrupted after ${this.#endedFiles} of ${this.#fileCount} files.`);
    if (this.#showsCpu)
      this.#print(`CPU of the test processes, without what they start: ${seconds(this.#cpuMs)}`);
    const skipped = this.#skips.length > 0 ? `, ${this.#skips.length} skipped` : '';
    this.#print(`${this.#passed} passed, ${this.failed} failed${skipped}`);
  }

  #addFailure(file: TestFile | undefined, { title, text, pattern }: Failure): void {
    const subject = file === undefined ? title : `${describeFile(file)}: ${title}`;
    const lines = [`FAILED ${subject}: ${text.replaceAll('\n', '\n  ')}`];
    if (file !== undefined) lines.push(`  again: ${commandOf(file, pattern)}`);
    const failure = lines.join('\n');
    this.#failures.push(failure);
    this.#print(failure);
  }

  #printSlowest(): void {
    const slowest = this.#times.sort((one, other) => other.ms - one.ms).slice(0, slowestShown);
    if (slowest.length > 0) this.#print('\nThe slowest tests:');
    for (const { ms, name } of slowest) this.#print(`  ${seconds(ms)}  ${name}`);
  }
}

function describeFile({ source, engine, isAgain }: TestFile): string {
  return isAgain ? `${source} (${engine})` : source;
}

/** The command that runs the tests with this title alone. */
function commandOf({ source, engine, isAgain }: TestFile, pattern: string | null): string {
  const parts = ['npm test --', source];
  if (isAgain) parts.push(`--engine ${engine}`);
  if (pattern !== null) parts.push(`-g '${pattern.replaceAll("'", `'\\''`)}'`);
  return parts.join(' ');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** One line for each reason, with the number of tests and up to three of their files. */
function describeSkips(skips: readonly { readonly reason: string; readonly source: string }[]): string[] {
  return [...new Set(skips.map(({ reason }) => reason))].map((reason) => {
    const same = skips.filter((skip) => skip.reason === reason);
    const sources = [...new Set(same.map(({ source }) => source))];
    const more = sources.length > 3 ? ` and ${sources.length - 3} more files` : '';
    const tests = same.length === 1 ? 'test' : 'tests';
    return `skipped ${same.length} ${tests}: ${reason} (${sources.slice(0, 3).join(' ')}${more})`;
  });
}
