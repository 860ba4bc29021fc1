import type { ProgramStream } from '../shared/util/program-output.ts';
import { replaceUnseen, shownJson } from '../shared/util/shown-text.ts';
import type { CliIo } from './io.ts';

const styles = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;
export type Style = keyof typeof styles;

/** Ends a command whose output is not taken. What is said of it, and the exit code, are `ProgramOutput.finish`'s. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** Results go to stdout, everything else to stderr. */
export interface Output {
  /** Whether the user gave `--json`: stdout is then one line of JSON, and commands call `result` alone. */
  readonly isJson: boolean;
  /**
   * For stdout: lines, or the value with `--json`. Characters that show nothing are replaced. @param text null: nothing but `--json`
   */
  result(value: unknown, text: string | null): void;
  /** Text for stdout that the caller has cleaned (`clean`) and painted. */
  painted(text: string): void;
  /** Bytes for stdout, as they are. */
  bytes(bytes: Uint8Array): void;
  /** Notes what was done, such as the address of the page: if stdout cannot be written, stderr says it. */
  act(what: string): void;
  /** For commands that go on after they printed something. @throws OutputError if it could not be written, or nobody reads it */
  ensureTaken(): Promise<void>;
  /** A line about progress, for stderr. */
  note(text: string): void;
  /** For stderr, after `warning: `. */
  warn(text: string): void;
  /** For stderr, after `dropleaf: `. */
  error(text: string): void;
  /** Colours text for stdout, if that is a terminal that shows colours. */
  paint(style: Style, text: string): string;
  /** The columns of the terminal; null: stdout is not one. */
  readonly columns: number | null;
}

export function createOutput(
  { env, output, acts }: Pick<CliIo, 'env' | 'output' | 'acts'>,
  isJson: boolean,
): Output {
  const { stdout, stderr } = output;
  const paintFor = (stream: ProgramStream) => {
    const isColoured = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
    return (style: Style, text: string) => (isColoured ? `\u001b[${styles[style]}m${text}\u001b[0m` : text);
  };
  const paintError = paintFor(stderr);
  return {
    isJson,
    result(value, text) {
      if (isJson) stdout.write(`${shownJson(value)}\n`);
      else if (text !== null) stdout.write(`${clean(text)}\n`);
    },
    painted: (text) => void stdout.write(`${text}\n`),
    bytes: (bytes) => void stdout.write(bytes),
    act: (what) => void acts.add(what),
    async ensureTaken() {
      if (!(await output.isTaken())) throw new OutputError();
    },
    note: (text) => void stderr.write(`${clean(text)}\n`),
    warn: (text) => void stderr.write(`${paintError('yellow', 'warning:')} ${clean(text)}\n`),
    error: (text) => void stderr.write(`${paintError('red', 'dropleaf:')} ${clean(text)}\n`),
    paint: paintFor(stdout),
    columns: stdout.isTTY === true ? stdout.columns || 80 : null, // some terminals say 0
  };
}

/** Replaces what shows nothing or changes the order of text, except line breaks and tabs: text of others must not steer the terminal. */
export function clean(text: string): string {
  return replaceUnseen(text, (character) =>
    character === '\n' || character === '\t' ? character : '\ufffd',
  );
}
