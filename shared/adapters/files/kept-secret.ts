import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBase62 } from '../../domain/ids.ts';

/**
 * The secret in the file, made at the first call. Only its owner can read the file. Two processes that make it at
 * once end up with the same one.
 * @param length base62 characters of a new one
 */
export function keptSecret(path: string, length: number): string {
  const found = read(path);
  if (found !== null) return found;
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBase62(length)}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path); // whole or absent, and never over another one
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
  const kept = read(path);
  if (kept === null) throw new Error(`${path} is empty: remove it, and a new secret is made`);
  return kept;
}

/** null: no such file, or an empty one. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
