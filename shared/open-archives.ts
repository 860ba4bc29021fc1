import { type Config, isScaleOut } from './config/config.ts';
import type { Role } from './embedded-engine.ts';
import { migrateStores, openStores, systemClock } from './open-stores.ts';
import type { ArchiveStore, UnfinishedImport } from './ports/archive.ts';
import type { Log } from './ports/log.ts';

export {
  createArchiveFile,
  createArchivePipe,
  openArchiveFile,
  openArchivePipe,
} from './adapters/tar/archive-file.ts';

/** A store whose data go into an archive or come from one. */
export interface StoreOfArchives {
  readonly store: ArchiveStore;
  /** Adds views that were counted to their drops. @throws DropError `unavailable` if Redis cannot be reached */
  addViews(): Promise<void>;
  close(): Promise<void>;
}

/** Existing data, whether a service runs on them or not. @throws Error of one sentence */
export function openStoreToRead(config: Config, log: Log): Promise<StoreOfArchives> {
  return open(config, log, 'command');
}

/**
 * A store to fill: creates DATA_DIR with the mark of the import, and keeps services off it; migrates MongoDB.
 * @throws Error of one sentence
 */
export async function openStoreToFill(
  config: Config,
  begun: UnfinishedImport,
  log: Log,
): Promise<StoreOfArchives> {
  if (isScaleOut(config)) await migrateStores(config, { log });
  return open(config, log, begun);
}

async function open(config: Config, log: Log, role: Role): Promise<StoreOfArchives> {
  const engine = await openStores(config, { log, role, clock: systemClock });
  return {
    store: engine.archive,
    addViews: () => engine.views.aggregate(systemClock.now()),
    close: () => engine.close(),
  };
}
