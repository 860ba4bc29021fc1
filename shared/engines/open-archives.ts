import type { UnfinishedImport } from '../archives/archive-store.ts';
import { type Config, isScaleOut } from '../config/config.ts';
import type { Log } from '../log/log.ts';
import { migrateStores, type OpenedEngine, openStores, systemClock } from './open-stores.ts';

export {
  createArchiveFile,
  createArchivePipe,
  openArchiveFile,
  openArchivePipe,
} from '../archives/tar.ts';

/** Existing data, whether a service runs on them or not. @throws Error of one sentence */
export function openStoreToRead(config: Config, log: Log): Promise<OpenedEngine> {
  return openStores(config, { log, role: 'command', clock: systemClock });
}

/** Marks DATA_DIR as being imported, so no service starts on it; migrates MongoDB. @throws Error of one sentence */
export async function openStoreToFill(
  config: Config,
  begun: UnfinishedImport,
  log: Log,
): Promise<OpenedEngine> {
  if (isScaleOut(config)) await migrateStores(config, { log });
  return openStores(config, { log, role: begun, clock: systemClock });
}
