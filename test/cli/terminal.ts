import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { requireProgram } from '../support/programs.ts';
import { until } from '../support/until.ts';
import { type ClientHome, clientFile } from './client.ts';

/** The client on a terminal. */
interface Terminal {
  /** All that the terminal shows. */
  output(): string;
  /** Types text once the question is shown. `\r` is the Enter key. */
  answer(question: string, text: string): Promise<void>;
  /** Waits for its end. @returns the exit code */
  ended(): Promise<number | null>;
}

/** Runs the client in a pseudo terminal that `script` (util-linux) makes. Without it the test is skipped. */
export function runInTerminal(
  test: Mocha.Context,
  { dir }: ClientHome,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Terminal {
  const command = [process.execPath, clientFile, ...args].map((word) => `'${word}'`).join(' ');
  const { PATH = '' } = process.env;
  const child = spawn(
    requireProgram(test, 'script'),
    ['--quiet', '--return', '--flush', '--command', command, '/dev/null'],
    {
      cwd: dir,
      env: { PATH, HOME: dir, TERM: 'xterm', ...env },
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  return {
    output: () => output,
    async answer(question, text) {
      await until(() => output.includes(question), question);
      child.stdin.write(text);
    },
    ended: () => ended,
  };
}
