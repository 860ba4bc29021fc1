import { basename, relative } from 'node:path';
import type { ProgramOutput } from '../shared/util/program-output.ts';

/** What the client uses of its process. */
export interface CliIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly output: ProgramOutput;
  /** What the command has done so far, such as the addresses of pages that it has published. */
  readonly acts: Set<string>;
  /** The file that Node runs. */
  readonly programPath: string;
  /** The origin of the service that served this file; null: it came from npm. */
  readonly servedBy: string | null;
  readonly version: string;
}

/** How the user runs the client, for hints that can be pasted: `dropleaf`, or `node cli.mjs`. */
export function programName({ programPath, cwd }: Pick<CliIo, 'programPath' | 'cwd'>): string {
  const name = basename(programPath);
  if (name === 'dropleaf.mjs' || !name.endsWith('.mjs')) return 'dropleaf';
  const path = relative(cwd, programPath);
  return `node ${/^[\w./\\-]+$/.test(path) ? path : JSON.stringify(path)}`;
}

/** Whether a person can answer a question: it is written to stderr and read from stdin. */
export function canAsk({ stdin, output: { stderr } }: Pick<CliIo, 'stdin' | 'output'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
