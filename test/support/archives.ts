import { type DamagedDrop, readStore, writeArchive } from '../../shared/archives/export.ts';
import { type OpenArchive, openArchive } from '../../shared/archives/reader.ts';
import { createArchivePipe, openArchiveFile, openArchivePipe } from '../../shared/archives/tar.ts';
import { readConfig } from '../../shared/config/config.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { openStores } from '../../shared/engines/open-stores.ts';
import { secretNames } from '../../shared/secrets/secret-store.ts';
import { start } from '../contract/records.ts';
import { createRecordingLog } from '../worker/recording-log.ts';
import { createTestClock } from './clock.ts';
import { fillStores } from './fill-stores.ts';

/** Fills DATA_DIR with `fillStores`. */
export async function fillDataDir(
  env: { readonly DATA_DIR: string },
  options: { readonly drops: number; readonly documentBytes?: number },
): Promise<void> {
  const engine = await openFilled(env, options);
  await engine.close();
}

/** As `fillDataDir`, and the stores stay open. */
export async function openFilled(
  env: { readonly DATA_DIR: string },
  options: { readonly drops: number; readonly documentBytes?: number },
): Promise<Engine> {
  const deps = { log: createRecordingLog(), role: 'service', clock: createTestClock(start) } as const;
  const engine = await openStores(readConfig(env), deps);
  for (const name of secretNames) await engine.secrets.findOrCreate(name, `the-${name}`);
  await fillStores(engine, { ...options, now: start });
  return engine;
}

export interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const createdAt = Date.UTC(2026, 0, 31);

/** Everything in the store as an archive. */
export async function exportEntries(
  stores: Pick<Engine, 'archive' | 'secrets'>,
): Promise<{ entries: Entry[]; leftOut: readonly DamagedDrop[] }> {
  const entries: Entry[] = [];
  const leftOut: DamagedDrop[] = [];
  const output = { add: async (name: string, bytes: Uint8Array) => void entries.push({ name, bytes }) };
  const created = new Date(createdAt).toISOString();
  const head = { id: 'a1', release: '1.0.0', engine: 'embedded', created } as const;
  await writeArchive(
    output,
    head,
    readStore(stores, (damaged) => leftOut.push(damaged) > 0),
  );
  return { entries, leftOut };
}

export async function packEntries(entries: readonly Entry[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const tar = createArchivePipe(
    {
      write(bytes, done) {
        pieces.push(bytes);
        done();
      },
    },
    createdAt,
  );
  for (const { name, bytes } of entries) await tar.add(name, bytes);
  await tar.finish();
  return Buffer.concat(pieces);
}

export async function readManifest(path: string): Promise<string> {
  let text = '';
  for await (const entry of openArchiveFile(path).entries()) {
    if (entry.name === 'manifest.json') text = Buffer.from(await entry.read()).toString();
  }
  return text;
}

export function openBytes(bytes: Uint8Array): Promise<OpenArchive> {
  async function* pieces() {
    for (let from = 0; from < bytes.byteLength; from += 65_536) yield bytes.subarray(from, from + 65_536);
  }
  return openArchive(openArchivePipe(pieces()));
}

/** What is wrong with an archive. @throws ArchiveError if it is none */
export async function findFaults(bytes: Uint8Array): Promise<string[]> {
  const { parts } = await openBytes(bytes);
  const faults: string[] = [];
  for await (const part of parts) if (part.type === 'fault') faults.push(part.text);
  return faults;
}
