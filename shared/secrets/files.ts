import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SecretName, type SecretStore, secretNames } from './secret-store.ts';

/** Each secret is a file of one line with its name, for the service's user only. */
export class FileSecrets implements SecretStore {
  readonly #dir: string;

  /** @param dir an existing directory */
  constructor(dir: string) {
    this.#dir = dir;
  }

  async findOrCreate(name: SecretName, fresh: string): Promise<string> {
    const stored = await this.#findPath(name);
    if (stored !== undefined) return read(stored);
    const path = join(this.#dir, name);
    await put(path, fresh, create);
    return read(path);
  }

  async find(name: SecretName): Promise<string | null> {
    const stored = await this.#findPath(name);
    return stored === undefined ? null : read(stored);
  }

  async replace(name: SecretName, secret: string): Promise<void> {
    const stored = await this.#findPath(name);
    await put(stored ?? join(this.#dir, name), secret, rename);
  }

  /** The path of the secret in force; undefined: none yet. */
  async #findPath(name: SecretName): Promise<string | undefined> {
    const files = await readdir(this.#dir);
    const newest = files
      .filter((file) => isNameOf(name, file))
      .sort()
      .at(-1);
    return newest === undefined ? undefined : join(this.#dir, newest);
  }
}

/** Whether a file of the directory is a secret of the service, for backups. */
export function isSecretFile(file: string): boolean {
  return secretNames.some((name) => isNameOf(name, file));
}

/** `name`, or `name.<Unix ms>`, which sorts after it. */
function isNameOf(name: string, file: string): boolean {
  return file === name || (file.startsWith(`${name}.`) && /^\d+$/.test(file.slice(name.length + 1)));
}

/** Writes the whole file or none. @param move gives the draft its name */
async function put(
  path: string,
  secret: string,
  move: (draft: string, path: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await move(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Never replaces a file. */
async function create(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

async function read(path: string): Promise<string> {
  const secret = (await readFile(path, 'utf8')).trim();
  if (secret === '') throw new Error(`${path} is empty: remove it, and the service generates a new secret`);
  return secret;
}
