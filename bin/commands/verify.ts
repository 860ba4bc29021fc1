import { ArchiveError } from '../../shared/domain/archive-error.ts';
import { openStoreToRead } from '../../shared/open-archives.ts';
import type { ArchiveSnapshot } from '../../shared/ports/archive-store.ts';
import { createComparison } from '../../shared/services/archive-compare.ts';
import type { ArchiveManifest } from '../../shared/services/archive-format.ts';
import { openArchive } from '../../shared/services/archive-reader.ts';
import {
  describeTotals,
  nameFile,
  nameOf,
  openInput,
  readArchiveConfig,
  watchForInterrupt,
} from '../archives.ts';
import { createErrorLog, printLine } from '../operator.ts';
import type { ProcessIo } from '../process-io.ts';
import { startProgress } from '../progress.ts';
import { countOf, startTimer } from '../text.ts';

const shownLines = 100;

type Comparison = ReturnType<typeof createComparison>;

/**
 * Checks an archive and prints what is wrong with it.
 * @param file `-` for stdin
 * @param options.againstStore prints what differs from the stored data, too
 * @throws Error if anything is wrong or differs
 */
export async function verifyData(
  file: string,
  { againstStore = false }: { againstStore?: boolean },
  io: ProcessIo,
): Promise<void> {
  if (!againstStore) {
    await verify(file, null, io);
    return;
  }
  const { store, addViews, close } = await openStoreToRead(readArchiveConfig(io), createErrorLog(io));
  try {
    await addViews();
    const snapshot = await store.openSnapshot();
    await verify(file, snapshot, io).finally(() => snapshot.close());
  } finally {
    await close();
  }
}

async function verify(file: string, snapshot: ArchiveSnapshot | null, io: ProcessIo): Promise<void> {
  const seconds = startTimer();
  const lines: string[] = []; // printed at the end, so that the progress bar stays in its line
  const counts = { faults: 0, differences: 0 };
  const note = (what: keyof typeof counts) => (text: string) => {
    counts[what] += 1;
    if (lines.length < shownLines) lines.push(text);
  };
  const comparison = snapshot === null ? null : createComparison(snapshot, note('differences'));
  const manifest = await readAll(file, comparison, note('faults'), io);
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
  const totals = manifest === null ? '' : describeTotals(manifest);
  printLine(io, `${name} is whole${snapshot ? ', and the store is equal' : ''}: ${totals} in ${seconds()}`);
}

/** @returns what the archive holds; null: it is cut off, which is a fault */
async function readAll(
  file: string,
  comparison: Comparison | null,
  onFault: (text: string) => void,
  io: ProcessIo,
): Promise<ArchiveManifest | null> {
  const signal = watchForInterrupt(io, 'interrupted');
  const input = openInput(file, io);
  const progress = startProgress(io, { what: 'Verifying', total: input.size, unit: null });
  const archive = await openArchive(input, progress.add).catch((error: unknown) => {
    progress.end();
    return nameFile(file)(error);
  });
  try {
    let manifest: ArchiveManifest | null = null;
    for await (const part of archive.parts) {
      signal.throwIfAborted();
      if (part.type === 'fault') onFault(part.text);
      else if (part.type === 'records') await comparison?.add(part);
      else if (part.type === 'end') manifest = part.manifest;
    }
    await comparison?.end();
    return manifest;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    onFault(error.message);
    return null;
  } finally {
    progress.end();
    await archive.close();
  }
}
