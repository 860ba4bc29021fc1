import { fstatSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { shownText } from './shown-text.ts';

/** stdout or stderr of a process. */
export type ProgramStream = Writable & {
  readonly fd: number;
  readonly isTTY?: boolean;
  /** Of a terminal. */
  readonly columns?: number;
};

const names = ['stdout', 'stderr'] as const;
type StreamName = (typeof names)[number];
type Streams = Readonly<Record<StreamName, ProgramStream>>;

/** What a program writes to stdout and stderr, and whether the system has taken all of it. */
export class ProgramOutput implements Streams {
  readonly stdout: ProgramStream;
  readonly stderr: ProgramStream;
  readonly #failures = new Map<StreamName, NodeJS.ErrnoException>();

  /** From here on no failure of these streams ends the process. @param process writes to them through this object alone */
  constructor(process: Streams) {
    this.stdout = this.#watch('stdout', process.stdout);
    this.stderr = this.#watch('stderr', process.stderr);
  }

  /** Resolves when the system has taken what was written. @returns false: it has refused some, or a reader has ended */
  async isTaken(): Promise<boolean> {
    for (const name of names) {
      const stream = this[name];
      // The callback comes after all that was written before.
      const error = await new Promise<Error | null>((resolve) => {
        stream.write('', (failure) => resolve(failure ?? null));
      });
      const cause = stream.errored ?? error;
      if (cause !== null) this.#note(name, cause);
    }
    return this.#failures.size === 0;
  }

  /**
   * Waits for the output, and says on stderr if stdout has not all of it. The reader of a pipe may end first, as in
   * `dropleaf list | head`. @param acts what the command has done, which stdout should have said
   * @returns the exit code: 1 if anything was not written
   */
  async finish(exitCode: number, acts: readonly string[] = []): Promise<number> {
    await this.isTaken();
    const fault = this.#faultOf('stdout');
    if (fault !== null) {
      const problem = `cannot write the output to stdout: ${fault}${describeActs(acts)}`;
      this.stderr.write(`dropleaf: ${shownText(problem)}\n`);
      await this.isTaken();
    }
    return fault === null && this.#faultOf('stderr') === null ? exitCode : 1;
  }

  /** Whether a reader of a pipe has ended. */
  hasLostReader(name: StreamName): boolean {
    return this.#failures.get(name)?.code === 'EPIPE';
  }

  /** As in `ENOSPC: no space left on device, write`. */
  #faultOf(name: StreamName): string | null {
    const failure = this.#failures.get(name);
    return failure === undefined || failure.code === 'EPIPE' ? null : failure.message;
  }

  #watch(name: StreamName, given: ProgramStream): ProgramStream {
    const stream = isFile(given.fd) ? fileStream(given.fd) : given;
    stream.on('error', (error) => this.#note(name, error));
    return stream;
  }

  #note(name: StreamName, error: NodeJS.ErrnoException): void {
    if (!this.#failures.has(name)) this.#failures.set(name, error);
  }
}

/** Of so many acts each is named. */
const namedActs = 50;

function describeActs(acts: readonly string[]): string {
  if (acts.length === 0) return '';
  const others = acts.length > namedActs ? `, and ${acts.length - namedActs} more` : '';
  return `. Done nevertheless: ${acts.slice(0, namedActs).join(', ')}${others}`;
}

/** A file or a device such as `/dev/full`. Node's streams of terminals and pipes report what was not written. */
function isFile(fd: number): boolean {
  if (isatty(fd)) return false;
  const stats = fstatSync(fd);
  return stats.isFile() || stats.isCharacterDevice() || stats.isBlockDevice();
}

/**
 * Node's own stream of a file calls writeSync once and ignores how much was written: what a full disk takes in part would be
 * lost without an error (lib/internal/fs/sync_write_stream.js). writeFileSync repeats until all is written, or throws.
 */
function fileStream(fd: number): ProgramStream {
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      let failure: Error | null = null;
      try {
        writeFileSync(fd, chunk);
      } catch (error) {
        failure = error as Error; // proof: node:fs throws Errors
      }
      done(failure);
    },
  });
  return Object.assign(stream, { fd });
}
