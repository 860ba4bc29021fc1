import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm';
const prefix = 'dropleaf-run-';
/** Many times what the tests of a run leave lying at a time, which is some 50 MB. */
const neededBytes = 1024 ** 3;

/**
 * A new folder for all that a run's tests write: in memory, where there is room and what lies there may be executed.
 * All of it is thrown away, so nothing need wait for a disk. Elsewhere, or where TMPDIR is set, it is made as usual.
 * Whoever asked for it removes it.
 */
export function makeRunDir(): string {
  const dir = process.env.TMPDIR || !hasRoom() ? null : makeIfMay(inMemory);
  if (dir !== null && mayExecuteIn(dir)) return dir;
  if (dir !== null) rmSync(dir, { recursive: true });
  return mkdtempSync(join(tmpdir(), prefix));
}

function makeIfMay(parent: string): string | null {
  try {
    return mkdtempSync(join(parent, prefix));
  } catch {
    return null; // it is not ours to write to
  }
}

function hasRoom(): boolean {
  if (!existsSync(inMemory)) return false;
  const { bavail, bsize } = statfsSync(inMemory);
  return Math.min(bavail * bsize, freemem()) >= neededBytes;
}

/** Varnish's compiled configuration and the tests' own little programs are executed. */
function mayExecuteIn(dir: string): boolean {
  const program = join(dir, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
