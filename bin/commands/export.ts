import { type Config, engineName } from '../../shared/config/config.ts';
import { ArchiveError } from '../../shared/domain/archive-error.ts';
import { newId } from '../../shared/domain/ids.ts';
import { createArchiveFile, createArchivePipe, openStoreToRead } from '../../shared/open-archives.ts';
import type { ArchiveOutput } from '../../shared/ports/archive-file.ts';
import type { ArchiveStore } from '../../shared/ports/archive-store.ts';
import { exportArchive } from '../../shared/services/archive-export.ts';
import { readVersion } from '../../shared/version.ts';
import { describeTotals, pipe, printNote, readArchiveConfig, watchForInterrupt } from '../archives.ts';
import { createErrorLog, printLine } from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';
import { startProgress } from '../progress.ts';
import { formatBytes, startTimer } from '../text.ts';

interface ExportOptions {
  readonly force?: true;
  readonly skipDamaged?: true;
}

/**
 * Writes all data to an archive.
 * @param file `-` for stdout
 * @throws Error that says why there is no archive
 */
export async function exportData(file: string, options: ExportOptions, io: ProcessIo): Promise<void> {
  if (file === pipe && io.stdout.isTTY) {
    throw new UsageError('stdout is a terminal: name a file, or use a pipe');
  }
  const seconds = startTimer();
  const config = readArchiveConfig(io);
  const { store, addViews, close } = await openStoreToRead(config, createErrorLog(io));
  try {
    await addViews().catch(({ message }: Error) => {
      printNote(io, `Views of the last seconds are not in the archive: ${message}`);
    });
    const createdAt = Date.now();
    const output = await createOutput(file, { createdAt, replaces: options.force === true }, io);
    const totals = await write({ store, output, config, createdAt, options, io });
    const result = `Exported ${totals}: ${formatBytes(output.size)} in ${seconds()}`;
    if (file === pipe) printNote(io, result);
    else printLine(io, result);
  } finally {
    await close();
  }
}

async function createOutput(
  file: string,
  options: { createdAt: number; replaces: boolean },
  { stdout }: ProcessIo,
): Promise<ArchiveOutput> {
  if (file !== pipe) return createArchiveFile(file, options);
  const send = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  return createArchivePipe(send, options);
}

interface Export {
  readonly store: ArchiveStore;
  readonly output: ArchiveOutput;
  readonly config: Config;
  readonly createdAt: number;
  readonly options: ExportOptions;
  readonly io: ProcessIo;
}

/** @returns what is in the archive */
async function write({ store, output, config, createdAt, options, io }: Export): Promise<string> {
  const signal = watchForInterrupt(io, 'interrupted: there is no archive');
  const counts = Object.values(await store.countRecords());
  const total = counts.reduce((sum, count) => sum + count, 0);
  const progress = startProgress(io, { what: 'Exporting', total, unit: 'records' });
  try {
    const { manifest, skipped } = await exportArchive(store, output, {
      head: {
        id: newId(createdAt),
        release: readVersion(),
        engine: engineName(config),
        created: new Date(createdAt).toISOString(),
      },
      skipsDamaged: options.skipDamaged === true,
      signal,
      onRecords: progress.add,
    });
    await output.finish();
    progress.end();
    for (const { slug, reason } of skipped) printNote(io, `Left out: ${slug}: ${reason}`);
    return describeTotals(manifest);
  } catch (error) {
    progress.end();
    await output.discard();
    if (!(error instanceof ArchiveError)) throw error;
    throw new Error(`${error.message}. "export --skip-damaged" leaves such drops out`);
  }
}
