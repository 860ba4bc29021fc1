import { type ArchiveKind, archiveKinds } from '../../shared/archives/archive.ts';
import {
  ArchiveError,
  type ArchiveInput,
  type ArchiveStore,
  type UnfinishedImport,
} from '../../shared/archives/archive-store.ts';
import { compareArchive } from '../../shared/archives/compare.ts';
import { type DamagedDrop, readStore, writeArchive } from '../../shared/archives/export.ts';
import type { ArchiveManifest } from '../../shared/archives/format.ts';
import { importArchive } from '../../shared/archives/import.ts';
import { openArchive, type ReadPart } from '../../shared/archives/reader.ts';
import { type Config, engineName, isScaleOut } from '../../shared/config/config.ts';
import { newId } from '../../shared/domain/ids.ts';
import {
  createArchiveFile,
  createArchivePipe,
  openArchiveFile,
  openArchivePipe,
  openStoreToFill,
  openStoreToRead,
} from '../../shared/engines/open-archives.ts';
import { shownText } from '../../shared/util/shown-text.ts';
import { readRelease } from '../../shared/version.ts';
import { createErrorLog, describeStore, printLine, readDataConfig } from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';
import { type Progress, startProgress, watchForInterrupt } from '../progress.ts';
import { countOf, formatBytes, formatTime, startTimer } from '../text.ts';

/** As the argument of a command: stdin or stdout. */
const pipe = '-';

/** Faults and differences that `verify` prints. */
const shownLines = 100;

/** Writes all data to an archive. @param file `-`: stdout @throws Error that says why there is no archive */
export async function exportData(
  file: string,
  { force = false, skipDamaged = false }: { readonly force?: boolean; readonly skipDamaged?: boolean },
  io: ProcessIo,
): Promise<void> {
  const isPiped = file === pipe;
  if (isPiped && io.stdout.isTTY) throw new UsageError('stdout is a terminal: name a file, or use a pipe');
  const seconds = startTimer();
  const config = readArchiveConfig(io);
  const engine = await openStoreToRead(config, createErrorLog(io));
  try {
    const createdAt = Date.now();
    await engine.views.aggregate(createdAt).catch(({ message }: Error) => {
      printNote(io, `Views of the last seconds are not in the archive: ${message}`);
    });
    const output = isPiped
      ? createArchivePipe(io.stdout, createdAt)
      : await createArchiveFile(file, { createdAt, replaces: force });
    const signal = watchForInterrupt(io, 'interrupted: there is no archive');
    const total = Object.values(await engine.archive.countRecords()).reduce((sum, count) => sum + count, 0);
    const progress = startProgress(io, { what: 'Exporting', total, unit: 'records' });
    const created = new Date(createdAt).toISOString();
    const head = { id: newId(createdAt), release: readRelease(), engine: engineName(config), created };
    const leftOut: DamagedDrop[] = [];
    const parts = readStore(engine, (damaged) => {
      if (skipDamaged) return leftOut.push(damaged) > 0;
      const { slug, reason } = damaged;
      throw new Error(`${slug} is damaged: ${reason}. "export --skip-damaged" leaves such drops out`);
    });
    const watched = watch(parts, signal, (part) => {
      if (part.type === 'records') progress.add(part.records.length);
    });
    const finish = async (manifest: ArchiveManifest) => ({ manifest, size: await output.finish() });
    const { manifest, size } = await writeArchive(output, head, watched)
      .then(finish)
      .catch(async (error: unknown) => {
        await output.discard();
        throw error;
      })
      .finally(progress.end);
    for (const { slug, reason } of leftOut) printNote(io, `Left out: ${slug}: ${reason}`);
    const result = `Exported ${describeTotals(manifest)}: ${formatBytes(size)} in ${seconds()}`;
    if (isPiped) printNote(io, result);
    else printLine(io, result);
  } finally {
    await engine.close();
  }
}

/** The parts, each of which `onPart` sees before. @throws the reason of the signal; the error of `onPart` */
async function* watch<T extends ReadPart>(
  parts: AsyncIterable<T>,
  signal: AbortSignal,
  onPart: (part: ReadPart) => void = () => undefined,
): AsyncGenerator<T> {
  for await (const part of parts) {
    signal.throwIfAborted();
    onPart(part);
    yield part;
  }
}

/**
 * Fills the store from an archive; a file is read twice, and a damaged one stores nothing. The store is marked before, so
 * no service starts on it. @param file `-` for stdin @throws Error that says why the store is not filled
 */
export async function importData(file: string, io: ProcessIo): Promise<void> {
  const seconds = startTimer();
  const config = readArchiveConfig(io);
  const signal = watchForInterrupt(io, 'interrupted: run the same command again to resume');
  const input = openInput(file, io);
  let progress: Progress | null = null;
  const archive = await openArchive(input, (count) => progress?.add(count)).catch(nameFile(file));
  try {
    const begun = { archiveId: archive.head.id, begunAt: Date.now() };
    const engine = await openStoreToFill(config, begun, createErrorLog(io));
    try {
      const isResumed = await beginImport(engine.archive, begun, config);
      if (isResumed) printNote(io, 'This import was interrupted: it resumes.');
      const isHalfFilled = nameFile(
        file,
        `. ${describeStore(config)} is incomplete, and no service starts on it: ${howToEmpty(config)}, and import another archive`,
      );
      if (input.size !== null) {
        await verifyFile(input, io, signal).catch(async (error: unknown) => {
          if (isResumed) return isHalfFilled(error);
          if (error instanceof ArchiveError) await engine.archive.endImport(); // the store is as it was
          nameFile(file, '. Nothing was stored; "bin/dropleaf.js verify" lists all faults')(error);
        });
      }
      progress = startProgress(io, { what: 'Importing', total: input.size, unit: null });
      const manifest = await importArchive(engine, watch(archive.parts, signal))
        .finally(progress.end)
        .catch(isHalfFilled);
      printLine(io, `Imported ${describeTotals(manifest)} in ${seconds()}`);
    } finally {
      await engine.close();
    }
  } finally {
    await archive.close();
  }
}

/**
 * Marks a store as unfinished, so that no service starts on it. One that this import has created has the mark.
 * @returns whether an earlier import is resumed @throws Error that says what to do, unless the archive can be imported
 */
async function beginImport(store: ArchiveStore, begun: UnfinishedImport, config: Config): Promise<boolean> {
  const where = describeStore(config);
  const found = await store.findUnfinishedImport();
  if (found !== null && found.archiveId !== begun.archiveId) {
    throw new Error(
      `${where} is incomplete: the import of another archive (${found.archiveId}), begun ${formatTime(found.begunAt)}, ` +
        `has not ended. Run it again with that file, or ${howToEmpty(config)} and import this one`,
    );
  }
  if (found !== null && found.begunAt !== begun.begunAt) return true;
  const counts = await store.countRecords();
  if (Object.keys(counts).length > 0) {
    throw new Error(
      `${where} is not empty: it has ${describeCounts(counts)}. An import needs an empty store: set ` +
        `${isScaleOut(config) ? 'MONGODB_URI to another database' : 'DATA_DIR to another folder'}`,
    );
  }
  await store.beginImport(begun);
  return false;
}

function howToEmpty(config: Config): string {
  return isScaleOut(config) ? 'drop the database' : 'remove the folder';
}

/** @throws ArchiveError at the first fault of the archive */
async function verifyFile(input: ArchiveInput, io: ProcessIo, signal: AbortSignal): Promise<void> {
  const parts = readArchive(input, io, signal, (part) => {
    if (part.type === 'fault') throw new ArchiveError(part.text);
  });
  for await (const _ of parts);
}

/** All parts of the archive, with a progress bar. */
async function* readArchive(
  input: ArchiveInput,
  io: ProcessIo,
  signal: AbortSignal,
  onPart: (part: ReadPart) => void,
): AsyncGenerator<ReadPart> {
  const progress = startProgress(io, { what: 'Verifying', total: input.size, unit: null });
  try {
    const { parts } = await openArchive(input, progress.add);
    yield* watch(parts, signal, onPart);
  } finally {
    progress.end();
  }
}

/**
 * Checks an archive and prints its faults. @param file `-` for stdin @param options.againstStore also compares stored data
 * @throws Error if anything is wrong or differs
 */
export async function verifyData(
  file: string,
  { againstStore = false }: { readonly againstStore?: boolean },
  io: ProcessIo,
): Promise<void> {
  const seconds = startTimer();
  const lines: string[] = []; // printed at the end, so that the progress bar stays in its line
  const counts = { fault: 0, difference: 0 };
  const note = (what: keyof typeof counts, text: string) => {
    counts[what] += 1;
    if (lines.length < shownLines) lines.push(text);
  };
  let totals = '';
  const onPart = (part: ReadPart) => {
    if (part.type === 'fault') note('fault', part.text);
    else if (part.type === 'end') totals = describeTotals(part.manifest);
  };
  const engine = againstStore ? await openStoreToRead(readArchiveConfig(io), createErrorLog(io)) : null;
  try {
    await engine?.views.aggregate(Date.now());
    const parts = readArchive(openInput(file, io), io, watchForInterrupt(io, 'interrupted'), onPart);
    const store = engine && readStore(engine, () => false);
    if (store === null) for await (const _ of parts);
    else for await (const text of compareArchive(parts, store)) note('difference', text);
  } catch (error) {
    nameFile(file)(error);
  } finally {
    await engine?.close();
  }
  for (const line of lines) printLine(io, line);
  const unseen = counts.fault + counts.difference - lines.length;
  if (unseen > 0) printLine(io, `and ${unseen} more`);

  const name = nameOf(file);
  if (counts.fault > 0) throw new Error(`${name} is damaged: ${countOf(counts.fault, 'fault')}`);
  if (counts.difference > 0) {
    throw new Error(
      `${name} is whole; the store differs from it: ${countOf(counts.difference, 'difference')}`,
    );
  }
  printLine(io, `${name} is whole${engine ? ', and the store is equal' : ''}: ${totals} in ${seconds()}`);
}

/** The settings of a command that reads or fills a whole store. @throws ConfigError */
function readArchiveConfig({ env }: ProcessIo): Config {
  return { ...readDataConfig(env), MONGODB_CONNECTIONS: 8 };
}

function openInput(file: string, { stdin }: ProcessIo): ArchiveInput {
  if (file !== pipe) return openArchiveFile(file);
  if (stdin.isTTY) throw new UsageError('stdin is a terminal: name a file, or use a pipe');
  return openArchivePipe(stdin);
}

/** For `catch`: adds the file to what is wrong with the archive, and what follows from it. */
function nameFile(file: string, consequence = ''): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ArchiveError)) throw error;
    throw new Error(`${nameOf(file)}: ${error.message}${consequence}`);
  };
}

function nameOf(file: string): string {
  return file === pipe ? 'the archive' : file;
}

/** `3 accounts, 4 idempotency keys, 1 operator act`, without kinds that have none. */
function describeCounts(counts: Partial<Record<ArchiveKind, number>>): string {
  const named = archiveKinds.flatMap((kind) => (counts[kind] ? [describeCount(counts[kind], kind)] : []));
  return named.length === 0 ? 'nothing' : named.join(', ');
}

function describeCount(count: number, kind: ArchiveKind): string {
  if (kind === 'identities') return count === 1 ? '1 identity' : `${count} identities`;
  return countOf(count, kind === 'audit-log' ? 'operator act' : kind.slice(0, -1).replace('-', ' '));
}

function describeTotals({ records, blobs }: ArchiveManifest): string {
  const counts = Object.entries(records).map(([kind, { count }]) => [kind, count]);
  const documents = `${countOf(blobs.html.count, 'document')}, ${countOf(blobs.contexts.count, 'context')}`;
  return `${describeCounts(Object.fromEntries(counts))}, ${documents}`;
}

/** A line for the operator that is not the result. */
function printNote({ stderr }: ProcessIo, line: string): void {
  stderr.write(`${shownText(line)}\n`);
}
