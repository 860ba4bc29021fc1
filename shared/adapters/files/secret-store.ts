import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretStore } from '../../ports/secret-store.ts';

/**
 * Each secret is a file of its name with one line, which only the service's user can read.
 * @param dir an existing directory
 */
export function createFileSecretStore(dir: string): SecretStore {
  return {
    async findOrCreate(name, fresh) {
      const newest = (await readdir(dir))
        .filter((file) => isNameOf(name, file))
        .sort()
        .at(-1);
      if (newest !== undefined) return read(join(dir, newest));
      await put(join(dir, name), fresh);
      return read(join(dir, name));
    },
  };
}

/** `name`, or `name.<Unix ms>`, which sorts after it. */
function isNameOf(name: string, file: string): boolean {
  return file === name || (file.startsWith(`${name}.`) && /^\d+$/.test(file.slice(name.length + 1)));
}

/** Writes the whole file or none, and never replaces one. */
async function put(path: string, secret: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function read(path: string): Promise<string> {
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret === '') throw new Error(`${path} is empty: remove it, and the service generates a new secret`);
  return secret;
}
