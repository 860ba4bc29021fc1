import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir, requireMounts } from './programs.ts';
import { makeTempDir } from './temp-dir.ts';

/** A file system of a few megabytes, which only processes that are started through it see at `dir`. */
export interface SmallDisk {
  readonly dir: string;
  /** A path below `dir` as this process has to write it. */
  pathOf(name: string): string;
  /** Runs `bin/dropleaf.js` with the disk. */
  spawn(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess;
  /** Takes all of the free space, again if some was given back meanwhile. */
  fill(): void;
  freeBytes(): number;
  /** Gives it back. */
  free(): void;
  /** To so many megabytes. */
  grow(megabytes: number): void;
  close(): Promise<void>;
}

/** It ends with the process that holds it. Needs root. */
export async function openSmallDisk(hook: Mocha.Context, megabytes: number): Promise<SmallDisk> {
  const { unshare, nsenter } = requireMounts(hook);
  const dir = makeTempDir();
  const mount = `mount -t tmpfs -o size=${megabytes}m tmpfs ${dir} && echo mounted && exec sleep 600`;
  const holder = spawn(unshare, ['--mount', 'sh', '-c', mount], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  const pathOf = (name: string) => join(`/proc/${holder.pid}/root`, dir, name);
  const filler = pathOf('filler');
  return {
    dir,
    pathOf,
    spawn: (args, env) =>
      spawn(
        nsenter,
        [
          `--mount=/proc/${holder.pid}/ns/mnt`,
          process.execPath,
          join(projectDir, 'bin/dropleaf.js'),
          ...args,
        ],
        { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
      ),
    fill() {
      const block = Buffer.alloc(64 * 1024);
      for (const bytes of [block, block.subarray(0, 4096)]) {
        try {
          for (;;) writeFileSync(filler, bytes, { flag: 'a' });
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error; // proof: node:fs throws these
        }
      }
    },
    freeBytes() {
      const { bavail, bsize } = statfsSync(pathOf(''));
      return bavail * bsize;
    },
    free: () => rmSync(filler),
    grow(megabytes) {
      const remount = ['mount', '-o', `remount,size=${megabytes}m`, dir];
      const { status } = spawnSync(nsenter, [`--mount=/proc/${holder.pid}/ns/mnt`, ...remount]);
      if (status !== 0) throw new Error(`the disk cannot grow: mount ended with ${status}`);
    },
    async close() {
      const end = once(holder, 'exit');
      holder.kill('SIGKILL');
      await end;
    },
  };
}
