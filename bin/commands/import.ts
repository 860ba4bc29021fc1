import { type Config, isScaleOut } from '../../shared/config/config.ts';
import { ArchiveError } from '../../shared/domain/archive-error.ts';
import { openStoreToFill } from '../../shared/open-archives.ts';
import type { ArchiveInput } from '../../shared/ports/archive-file.ts';
import type { ArchiveStore } from '../../shared/ports/archive-store.ts';
import { beginImport, importArchive, type Target } from '../../shared/services/archive-import.ts';
import { openArchive } from '../../shared/services/archive-reader.ts';
import {
  describeCounts,
  describeTotals,
  nameFile,
  nameOf,
  openInput,
  printNote,
  readArchiveConfig,
  watchForInterrupt,
} from '../archives.ts';
import { createErrorLog, describeStore, printLine } from '../operator.ts';
import type { ProcessIo } from '../process-io.ts';
import { type Progress, startProgress } from '../progress.ts';
import { formatTime, startTimer } from '../text.ts';

/**
 * Fills the store with the data of an archive. A file is read twice: if it is damaged, nothing is stored. The store is marked
 * before, so that no service starts on it, however the import ends.
 * @param file `-` for stdin
 * @throws Error that says why the store is not filled
 */
export async function importData(file: string, io: ProcessIo): Promise<void> {
  const seconds = startTimer();
  const config = readArchiveConfig(io);
  const signal = watchForInterrupt(io, 'interrupted: run the same command again to go on');
  const input = openInput(file, io);
  let progress: Progress | null = null;
  const archive = await openArchive(input, (count) => progress?.add(count)).catch(nameFile(file));
  try {
    const begun = { archiveId: archive.head.id, begunAt: Date.now() };
    const { store, close } = await openStoreToFill(config, begun, createErrorLog(io));
    try {
      const target = await beginImport(store, begun);
      refuse(target, config);
      if (target.state === 'unfinished') printNote(io, 'This import was interrupted: it goes on.');
      const onFault = target.state === 'unfinished' ? explain(file, config) : undo(file, store);
      if (input.size !== null) await verify(input, io, signal).catch(onFault);
      progress = startProgress(io, { what: 'Importing', total: input.size, unit: null });
      const manifest = await importArchive(store, archive, signal).catch(explain(file, config));
      progress.end();
      printLine(io, `Imported ${describeTotals(manifest)} in ${seconds()}`);
    } finally {
      progress?.end();
      await close();
    }
  } finally {
    await archive.close();
  }
}

/** @throws Error that says what to do, unless the archive can be imported */
function refuse(target: Target, config: Config): void {
  const where = describeStore(config);
  switch (target.state) {
    case 'not-empty':
      throw new Error(
        `${where} is not empty: it has ${describeCounts(target.counts)}. An import needs an empty store: set ` +
          `${isScaleOut(config) ? 'MONGODB_URI to another database' : 'DATA_DIR to another folder'}`,
      );
    case 'other-archive':
      throw new Error(
        `${where} is incomplete: the import of another archive (${target.archiveId}), begun ${formatTime(target.begunAt)}, ` +
          `has not ended. Run it again with that file, or ${howToEmpty(config)} and import this one`,
      );
    default:
  }
}

/** @throws ArchiveError at the first fault of the archive */
async function verify(input: ArchiveInput, io: ProcessIo, signal: AbortSignal): Promise<void> {
  const progress = startProgress(io, { what: 'Verifying', total: input.size, unit: null });
  const archive = await openArchive(input, progress.add);
  try {
    for await (const part of archive.parts) {
      signal.throwIfAborted();
      if (part.type === 'fault') {
        throw new ArchiveError(part.text);
      }
    }
  } finally {
    progress.end();
    await archive.close();
  }
}

/** For `catch`: if the archive is damaged, the store is as it was. */
function undo(file: string, store: ArchiveStore): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof ArchiveError)) throw error;
    await store.endImport();
    throw new Error(
      `${nameOf(file)}: ${error.message}. Nothing was stored; "bin/dropleaf.js verify" lists all faults`,
    );
  };
}

/** For `catch`: says what to do about a half filled store if the archive is damaged. */
function explain(file: string, config: Config): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ArchiveError)) throw error;
    throw new Error(
      `${nameOf(file)}: ${error.message}. ${describeStore(config)} is incomplete, and no service starts on it: ` +
        `${howToEmpty(config)}, and import another archive`,
    );
  };
}

function howToEmpty(config: Config): string {
  return isScaleOut(config) ? 'drop the database' : 'remove the folder';
}
