import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretStore } from '../../ports/secret-store.ts';

/**
 * Secrets as files of these names, one line each, that only the service's user can read.
 * @param dir an existing directory
 */
export function createFileSecretStore(dir: string): SecretStore {
  return {
    async keep(name, fresh) {
      const path = join(dir, name);
      const found = await read(path);
      if (found !== null) return found;
      await put(path, fresh);
      const kept = await read(path);
      if (kept === null) throw new Error(`${path} is empty: remove it, and a new secret is made`);
      return kept;
    },
  };
}

/** Whole or absent, and never over another one. */
async function put(path: string, secret: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** null: no such file, or an empty one. */
async function read(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
