import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Outcome, type Watched, watch } from '../bin/command.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** The built single file. */
export const clientFile = fileURLToPath(new URL('../../cli/cli.mjs', import.meta.url));

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What stdin contains. */
  readonly input?: string | Uint8Array;
  /** The file that Node runs, in place of the built one. */
  readonly file?: string;
  /** Options of Node, before the file. */
  readonly nodeArgs?: readonly string[];
}

/** The client as a process of its own, without a terminal, in a new empty folder that is also its home. */
export interface ClientHome {
  readonly dir: string;
  /** Runs a command to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  start(args: readonly string[], options?: RunOptions): Watched;
  /** Runs a command that must fail with nothing on stdout. @param says parts of stderr @returns stderr */
  fails(code: number, args: readonly string[], says: readonly Said[], options?: RunOptions): Promise<string>;
}

/** A part of the text, or what it matches. */
type Said = string | RegExp;

/** For the tests of the surrounding suite, each with a folder of its own. */
export function useClient(): ClientHome {
  let dir: string;
  beforeEach(() => {
    dir = makeTempDir();
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function start(args: readonly string[], options: RunOptions = {}): Watched {
    const { PATH = '', NODE_V8_COVERAGE } = process.env;
    const { env = {}, input = '', file = clientFile, nodeArgs = [] } = options;
    const child = spawn(process.execPath, [...nodeArgs, file, ...args], {
      cwd: dir,
      env: { PATH, HOME: dir, ...(NODE_V8_COVERAGE && { NODE_V8_COVERAGE }), ...env },
    });
    child.stdin.on('error', () => undefined); // the client may end without reading it
    child.stdin.end(input);
    return watch(child);
  }

  return {
    get dir() {
      return dir;
    },
    run: (args, options) => start(args, options).ended(),
    start,
    async fails(expected, args, says, options) {
      const { stdout, stderr, code } = await start(args, options).ended();
      expect({ stdout, code }, `${args} ${stderr}`).to.deep.equal({ stdout: '', code: expected });
      for (const said of says) {
        if (typeof said === 'string') expect(stderr, String(args)).to.contain(said);
        else expect(stderr, String(args)).to.match(said);
      }
      return stderr;
    },
  };
}

/** A folder of programs that take the place of the browser's opener: it appends each address to `opened` beside it. */
export function fakeBrowser(dir: string): { PATH: string; opened(): string } {
  const bin = join(dir, 'bin');
  const log = join(dir, 'opened');
  mkdirSync(bin);
  const program = `#!/bin/sh\necho "$1" >> '${log}'\n`;
  for (const name of ['xdg-open', 'open']) writeFileSync(join(bin, name), program, { mode: 0o755 });
  const { PATH = '' } = process.env;
  return {
    PATH: `${bin}:${PATH}`,
    opened: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
  };
}
