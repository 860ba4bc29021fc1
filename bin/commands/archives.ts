import { ArchiveError, type ArchiveKind, archiveKinds } from '../../shared/archives/archive.ts';
import type { ArchiveInput, ArchiveSnapshot } from '../../shared/archives/archive-store.ts';
import { compareArchive } from '../../shared/archives/compare.ts';
import { exportArchive } from '../../shared/archives/export.ts';
import type { ArchiveManifest } from '../../shared/archives/format.ts';
import { beginImport, importArchive, type Target } from '../../shared/archives/import.ts';
import { type OpenArchive, openArchive, type RecordsPart } from '../../shared/archives/reader.ts';
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
import { readVersion } from '../../shared/version.ts';
import { createErrorLog, describeStore, printLine, readDataConfig } from '../operator.ts';
import { type ProcessIo, UsageError } from '../process-io.ts';
import { type Progress, startProgress, watchForInterrupt } from '../progress.ts';
import { countOf, formatBytes, formatTime, startTimer, stripControlCharacters } from '../text.ts';

/** As the argument of a command: stdin or stdout. */
const pipe = '-';

/** Faults and differences that `verify` prints. */
const shownLines = 100;

/**
 * Writes all data to an archive.
 * @param file `-` for stdout
 * @throws Error that says why there is no archive
 */
export async function exportData(
  file: string,
  options: { readonly force?: true; readonly skipDamaged?: true },
  io: ProcessIo,
): Promise<void> {
  if (file === pipe && io.stdout.isTTY) {
    throw new UsageError('stdout is a terminal: name a file, or use a pipe');
  }
  const seconds = startTimer();
  const config = readArchiveConfig(io);
  const { archive: store, views, close } = await openStoreToRead(config, createErrorLog(io));
  try {
    const createdAt = Date.now();
    await views.aggregate(createdAt).catch(({ message }: Error) => {
      printNote(io, `Views of the last seconds are not in the archive: ${message}`);
    });
    const output =
      file === pipe
        ? createArchivePipe((bytes) => sendTo(io.stdout, bytes), { createdAt })
        : await createArchiveFile(file, { createdAt, replaces: options.force === true });
    const signal = watchForInterrupt(io, 'interrupted: there is no archive');
    const total = Object.values(await store.countRecords()).reduce((sum, count) => sum + count, 0);
    const progress = startProgress(io, { what: 'Exporting', total, unit: 'records' });
    const head = {
      id: newId(createdAt),
      release: readVersion(),
      engine: engineName(config),
      created: new Date(createdAt).toISOString(),
    };
    const skipsDamaged = options.skipDamaged === true;
    const { manifest, skipped } = await exportArchive(store, output, {
      ...{ head, skipsDamaged, signal, onRecords: progress.add },
    })
      .then(async (exported) => {
        await output.finish();
        return exported;
      })
      .catch(async (error: unknown) => {
        await output.discard();
        if (!(error instanceof ArchiveError)) throw error;
        throw new Error(`${error.message}. "export --skip-damaged" leaves such drops out`);
      })
      .finally(progress.end);
    for (const { slug, reason } of skipped) printNote(io, `Left out: ${slug}: ${reason}`);
    const result = `Exported ${describeTotals(manifest)}: ${formatBytes(output.size)} in ${seconds()}`;
    if (file === pipe) printNote(io, result);
    else printLine(io, result);
  } finally {
    await close();
  }
}

function sendTo(stdout: ProcessIo['stdout'], bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

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
    const { archive: store, close } = await openStoreToFill(config, begun, createErrorLog(io));
    try {
      const target = await beginImport(store, begun);
      refuse(target, config);
      if (target.state === 'unfinished') printNote(io, 'This import was interrupted: it goes on.');
      const isHalfFilled = nameFile(
        file,
        `. ${describeStore(config)} is incomplete, and no service starts on it: ${howToEmpty(config)}, and import another archive`,
      );
      if (input.size !== null) {
        await verifyFile(input, io, signal).catch(async (error: unknown) => {
          if (target.state === 'unfinished') return isHalfFilled(error);
          if (error instanceof ArchiveError) await store.endImport(); // the store is as it was
          nameFile(file, '. Nothing was stored; "bin/dropleaf.js verify" lists all faults')(error);
        });
      }
      progress = startProgress(io, { what: 'Importing', total: input.size, unit: null });
      const manifest = await importArchive(store, archive, signal).finally(progress.end).catch(isHalfFilled);
      printLine(io, `Imported ${describeTotals(manifest)} in ${seconds()}`);
    } finally {
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
async function verifyFile(input: ArchiveInput, io: ProcessIo, signal: AbortSignal): Promise<void> {
  const progress = startProgress(io, { what: 'Verifying', total: input.size, unit: null });
  const archive = await openArchive(input, progress.add);
  try {
    for await (const part of archive.parts) {
      signal.throwIfAborted();
      if (part.type === 'fault') throw new ArchiveError(part.text);
    }
  } finally {
    progress.end();
    await archive.close();
  }
}

function howToEmpty(config: Config): string {
  return isScaleOut(config) ? 'drop the database' : 'remove the folder';
}

/**
 * Checks an archive and prints what is wrong with it.
 * @param file `-` for stdin
 * @param options.againstStore prints what differs from the stored data, too
 * @throws Error if anything is wrong or differs
 */
export async function verifyData(
  file: string,
  { againstStore = false }: { readonly againstStore?: boolean },
  io: ProcessIo,
): Promise<void> {
  const engine = againstStore ? await openStoreToRead(readArchiveConfig(io), createErrorLog(io)) : null;
  try {
    await engine?.views.aggregate(Date.now());
    const snapshot = (await engine?.archive.openSnapshot()) ?? null;
    await verify(file, snapshot, io).finally(() => snapshot?.close());
  } finally {
    await engine?.close();
  }
}

async function verify(file: string, snapshot: ArchiveSnapshot | null, io: ProcessIo): Promise<void> {
  const seconds = startTimer();
  const lines: string[] = []; // printed at the end, so that the progress bar stays in its line
  const counts = { faults: 0, differences: 0 };
  const note = (what: keyof typeof counts, text: string) => {
    counts[what] += 1;
    if (lines.length < shownLines) lines.push(text);
  };
  const signal = watchForInterrupt(io, 'interrupted');
  const input = openInput(file, io);
  const progress = startProgress(io, { what: 'Verifying', total: input.size, unit: null });
  let totals = '';
  try {
    const archive = await openArchive(input, progress.add).catch(nameFile(file));
    const records = readRecords(archive, signal, {
      onFault: (text) => note('faults', text),
      onEnd: (manifest) => (totals = describeTotals(manifest)),
    });
    if (snapshot === null) for await (const _ of records);
    else for await (const text of compareArchive(records, snapshot)) note('differences', text);
  } finally {
    progress.end();
  }
  for (const line of lines) printLine(io, line);
  const unseen = counts.faults + counts.differences - lines.length;
  if (unseen > 0) printLine(io, `and ${unseen} more`);

  const name = nameOf(file);
  if (counts.faults > 0) throw new Error(`${name} is damaged: ${countOf(counts.faults, 'fault')}`);
  if (counts.differences > 0) {
    throw new Error(
      `${name} is whole; the store differs from it: ${countOf(counts.differences, 'difference')}`,
    );
  }
  printLine(io, `${name} is whole${snapshot ? ', and the store is equal' : ''}: ${totals} in ${seconds()}`);
}

/** The records of the archive. That it is cut off is a fault, too. */
async function* readRecords(
  { parts, close }: OpenArchive,
  signal: AbortSignal,
  on: { onFault(text: string): void; onEnd(manifest: ArchiveManifest): void },
): AsyncGenerator<RecordsPart> {
  try {
    for await (const part of parts) {
      signal.throwIfAborted();
      if (part.type === 'fault') on.onFault(part.text);
      else if (part.type === 'records') yield part;
      else if (part.type === 'end') on.onEnd(part.manifest);
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    on.onFault(error.message);
  } finally {
    await close();
  }
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

const nouns: Readonly<Record<ArchiveKind, string>> = {
  secrets: 'secret',
  accounts: 'account',
  tokens: 'token',
  'idempotency-keys': 'idempotency key',
  drops: 'drop',
  reports: 'report',
  'audit-log': 'operator act',
};

/** `3 accounts, 4 tokens`, without kinds that have none. */
function describeCounts(counts: Partial<Record<ArchiveKind, number>>): string {
  const named = archiveKinds.flatMap((kind) => (counts[kind] ? [countOf(counts[kind], nouns[kind])] : []));
  return named.length === 0 ? 'nothing' : named.join(', ');
}

function describeTotals({ records, blobs }: ArchiveManifest): string {
  const counts = Object.entries(records).map(([kind, { count }]) => [kind, count]);
  const documents = `${countOf(blobs.html.count, 'document')}, ${countOf(blobs.contexts.count, 'context')}`;
  return `${describeCounts(Object.fromEntries(counts))}, ${documents}`;
}

/** A line for the operator that is not the result. */
function printNote({ stderr }: ProcessIo, line: string): void {
  stderr.write(`${stripControlCharacters(line)}\n`);
}
