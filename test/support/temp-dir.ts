import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new directory, removed when the process ends. */
export function makeTempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'dropleaf-test-'));
  if (made.push(dir) === 1) process.once('exit', removeAll);
  return dir;
}

function removeAll(): void {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
}
