import { isDeepStrictEqual } from 'node:util';
import { type ArchiveKind, type ArchiveRecord, archiveId, archiveKinds, canonicalJson } from './archive.ts';
import { type BlobDigest, blobsOf } from './format.ts';
import type { ReadPart } from './reader.ts';

interface Item {
  readonly kind: ArchiveKind;
  readonly id: string;
  readonly record: ArchiveRecord;
  readonly digests: ReadonlyMap<string, BlobDigest>;
}

/**
 * Compares an archive with a store, record by record and blob by blob, in one pass: both have the same order. @param store as
 * `readStore` reads it, which leaves nothing out @returns sentences
 */
export async function* compareArchive(
  archive: AsyncIterable<ReadPart>,
  store: AsyncIterable<ReadPart>,
): AsyncGenerator<string> {
  const inArchive = itemsOf(archive);
  const inStore = itemsOf(store);
  try {
    let wanted = await nextOf(inArchive);
    let stored = await nextOf(inStore);
    while (wanted !== null || stored !== null) {
      const order = compareOrder(wanted, stored);
      if (wanted !== null && order < 0) yield `${describe(wanted)} is not in the store`;
      else if (stored !== null && order > 0) yield `${describe(stored)} is not in the archive`;
      else if (wanted !== null && stored !== null) yield* compareItems(wanted, stored);
      if (order <= 0) wanted = await nextOf(inArchive);
      if (order >= 0) stored = await nextOf(inStore);
    }
  } finally {
    await inStore.return(undefined);
  }
}

async function* itemsOf(parts: AsyncIterable<ReadPart>): AsyncGenerator<Item> {
  for await (const part of parts) {
    if (part.type !== 'records') continue;
    const { kind, records, digests } = part;
    for (const record of records) yield { kind, id: archiveId(kind, record), record, digests };
  }
}

async function nextOf(items: AsyncIterator<Item>): Promise<Item | null> {
  const next = await items.next();
  return next.done ? null : next.value;
}

/** Negative: `a` comes first, or there is no `b`. */
function compareOrder(a: Item | null, b: Item | null): number {
  if (a === null || b === null) return a === null ? 1 : -1;
  if (a.kind !== b.kind) return archiveKinds.indexOf(a.kind) - archiveKinds.indexOf(b.kind);
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

function* compareItems(wanted: Item, stored: Item): Generator<string> {
  const fields = findDifferences(wanted.record, stored.record);
  if (fields.length > 0) yield `${describe(wanted)} differs in ${fields.join(', ')}`;
  for (const { name, label } of blobsOf(wanted.record)) {
    const digest = wanted.digests.get(name);
    const other = stored.digests.get(name);
    if (digest === undefined || digest.sha256 === other?.sha256) continue; // undefined: the reader reports it
    yield `${label} ${other === undefined ? 'is not in the store' : 'differs'}`;
  }
}

/** The fields that differ; none: the records are equal. */
function findDifferences(wanted: ArchiveRecord, stored: ArchiveRecord): string[] {
  const wantedText = canonicalJson(wanted);
  const storedText = canonicalJson(stored);
  if (wantedText === storedText) return [];
  const a: Record<string, unknown> = JSON.parse(wantedText);
  const b: Record<string, unknown> = JSON.parse(storedText);
  return Object.keys({ ...a, ...b })
    .sort()
    .filter((name) => !isDeepStrictEqual(a[name], b[name]));
}

/** `drops 0198f… (abc123)`. */
function describe({ kind, id, record }: Item): string {
  return 'versions' in record ? `${kind} ${id} (${record.slug})` : `${kind} ${id}`;
}
