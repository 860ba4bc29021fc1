import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SigningSecret, signingSecretName, signsFromOf } from '../../domain/signing-secret.ts';
import type { SecretStore } from '../../ports/secret-store.ts';

/**
 * Secrets as files of these names, one line each, that only the service's user can read. A signing secret has a file
 * of its own, named by when it signs from, so that those who add and remove some need not know of each other.
 * @param dir an existing directory
 */
export function createFileSecretStore(dir: string): SecretStore {
  async function readSigning(): Promise<SigningSecret[]> {
    const found: SigningSecret[] = [];
    for (const name of await readdir(dir)) {
      const signsFrom = signsFromOf(name);
      if (signsFrom === null) continue;
      const value = await read(join(dir, name));
      if (value !== null) found.push({ value, signsFrom });
    }
    return found;
  }

  return {
    async keep(name, fresh) {
      const path = join(dir, name);
      const found = await read(path);
      if (found !== null) return found;
      await put(path, fresh);
      return (await read(path)) ?? fresh;
    },

    async listSigning(fresh) {
      const found = await readSigning();
      if (found.length > 0) return found;
      await put(join(dir, signingSecretName(0)), fresh);
      return readSigning();
    },

    async addSigning({ value, signsFrom }) {
      return (await put(join(dir, signingSecretName(signsFrom)), value)) ? 'added' : 'time_taken';
    },

    async removeSigning(times) {
      for (const signsFrom of times) await rm(join(dir, signingSecretName(signsFrom)), { force: true });
    },
  };
}

/** Whole or absent, and never over another one. @returns whether there was none */
async function put(path: string, secret: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, path);
    return true;
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** null: no such file. @throws Error where it is empty */
async function read(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (text?.trim() === '') throw new Error(`${path} is empty: remove it, and a new secret is made`);
  return text?.trim() ?? null;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
