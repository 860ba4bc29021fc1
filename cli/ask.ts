import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { CliError, exitCodes, usageError } from './errors.ts';
import { fileError } from './faults.ts';
import { type CliIo, canAsk } from './io.ts';
import { withoutMark } from './locked-file.ts';
import { clean } from './output.ts';

/**
 * A new passcode, never an argument: other processes and the shell's history would have it. @param file a path, or `-` for
 * stdin; undefined: asks on the terminal, without echo @throws CliError if there is none
 */
export async function readNewPasscode(io: CliIo, file: string | undefined): Promise<string> {
  if (file !== undefined) return readPasscodeFile(io, file);
  if (!canAsk(io)) {
    throw usageError(
      'there is no terminal to ask for the passcode: name a file with --passcode-file, or - for stdin',
    );
  }
  const passcode = await ask(io, 'Passcode for viewers: ', false);
  const again = await ask(io, 'The same again: ', false);
  if (passcode !== again) throw new CliError('the passcodes are not the same: nothing was changed');
  return notEmpty(passcode);
}

async function readPasscodeFile(io: CliIo, file: string): Promise<string> {
  try {
    const { text: readAll } = await import('node:stream/consumers'); // here, so that other commands start sooner
    const text = file === '-' ? await readAll(io.stdin) : await readFile(file, 'utf8');
    return notEmpty(withoutMark(text).replace(/\r?\n$/, ''));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw fileError('read', `the passcode from ${file}`, error);
  }
}

/** The service takes '' as no passcode. */
function notEmpty(passcode: string): string {
  if (passcode === '') throw new CliError('the passcode is empty: nothing was changed');
  if (/[\r\n]/.test(passcode)) throw new CliError('the passcode must be one line: nothing was changed');
  return passcode;
}

/** @param isShown whether typing is shown @throws CliError (130: Ctrl+C); if the terminal closes */
export async function ask(
  { stdin, output: { stderr } }: CliIo,
  question: string,
  isShown: boolean,
): Promise<string> {
  const { createInterface } = await import('node:readline'); // here, so that other commands start sooner
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Ends the echo of the terminal, so the question comes after it.
  const lines = createInterface({
    input: stdin,
    output: isShown ? stderr : hidden,
    terminal: true,
    historySize: 0,
  });
  if (isShown) lines.setPrompt(question);
  if (isShown) lines.prompt();
  else stderr.write(question);
  return new Promise((resolve, reject) => {
    const end = (act: () => void) => {
      lines.removeAllListeners();
      lines.close();
      if (!isShown) stderr.write('\n');
      act();
    };
    lines.once('line', (line) => end(() => resolve(line)));
    lines.once('SIGINT', () =>
      end(() => reject(new CliError('interrupted', { exitCode: exitCodes.interrupted }))),
    );
    lines.once('close', () => end(() => reject(new CliError('there was no answer: nothing was changed'))));
  });
}

/** Asks on the terminal; anything but `y` and `yes` is no. @throws CliError as `ask` does */
export async function confirm(io: CliIo, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(io, `${clean(question)} [y/N] `, true)).trim());
}
