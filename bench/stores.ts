import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openMongo } from '../shared/adapters/mongo/connection.ts';
import { createMongoStores } from '../shared/adapters/mongo/stores.ts';
import { openDatabase } from '../shared/adapters/sqlite/database.ts';
import { createSqliteStores } from '../shared/adapters/sqlite/stores.ts';
import { createThreadRenderer } from '../shared/adapters/threads/page-renderer.ts';
import type { Engine } from '../shared/ports/engine.ts';
import type { RenderHead } from '../shared/ports/render-store.ts';
import { createRecordingLog } from '../test/worker/recording-log.ts';

/** The stores of a service that runs, over a connection of our own. */
export type OpenStores = Pick<Engine, 'drops' | 'html' | 'renders' | 'close'>;

export function openEmbeddedStores(dataDir: string): OpenStores {
  const db = openDatabase(join(dataDir, 'dropleaf.sqlite'));
  return { ...createSqliteStores(db), close: () => db.close() };
}

export async function openScaleOutStores(uri: string): Promise<OpenStores> {
  const mongo = await openMongo({ uri, maxConnections: 10, log: createRecordingLog() });
  return { ...createMongoStores(mongo.connection), close: () => mongo.close() };
}

/** The inner id of the page's latest version. */
export async function versionIdOf({ drops }: OpenStores, slug: string): Promise<string> {
  const page = await drops.findPage(slug, null);
  if (!page?.version) throw new Error(`there is no page at ${slug}`);
  return page.version.id;
}

const lookEveryMs = 10;

/**
 * Waits for the page's render, and puts its smallest form in place, as the service does a minute after the first
 * reader: then a page that nobody has read yet stays as it is.
 */
export async function settlePage(stores: OpenStores, slug: string): Promise<void> {
  const versionId = await versionIdOf(stores, slug);
  const { renders, html } = stores;
  let head: RenderHead | null = null;
  while (head === null) {
    await pause(lookEveryMs);
    head = await renders.findHead(versionId);
  }
  const document = await html.get(versionId);
  if (document === null) throw new Error(`the document of ${slug} is gone`);
  const renderer = createThreadRenderer({ maxThreads: 1 });
  const squeezed = await renderer.squeeze(document, head.plan).finally(renderer.close);
  await renders.squeeze(versionId, head.artefacts.br, squeezed, Date.now());
}
