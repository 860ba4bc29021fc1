import { isDeepStrictEqual } from 'node:util';
import { type ArchiveKind, type ArchiveRecord, archiveId, archiveKinds, canonicalJson } from './archive.ts';
import type { ArchiveSnapshot } from './archive-store.ts';
import { readBlobs, readSnapshot } from './export.ts';
import { blobsOf, digestOf } from './format.ts';
import type { RecordsPart } from './reader.ts';

/** A record, and the SHA-256 of its blobs by the name of their entry. */
interface Item {
  readonly kind: ArchiveKind;
  readonly record: ArchiveRecord;
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * Compares an archive with a store, record by record and blob by blob, in one pass over both: they have the same order.
 * @returns sentences
 */
export async function* compareArchive(
  archive: AsyncIterable<RecordsPart>,
  snapshot: ArchiveSnapshot,
): AsyncGenerator<string> {
  const inArchive = itemsOf(archive);
  const inStore = itemsOf(readStore(snapshot));
  let [wanted, stored] = [await nextOf(inArchive), await nextOf(inStore)];
  while (wanted !== null || stored !== null) {
    const order = compareOrder(wanted, stored);
    if (wanted !== null && order < 0) yield `${describe(wanted)} is not in the store`;
    else if (stored !== null && order > 0) yield `${describe(stored)} is not in the archive`;
    else if (wanted !== null && stored !== null) yield* compareItems(wanted, stored);
    if (order <= 0) wanted = await nextOf(inArchive);
    if (order >= 0) stored = await nextOf(inStore);
  }
}

async function* readStore(snapshot: ArchiveSnapshot): AsyncGenerator<Omit<RecordsPart, 'type'>> {
  for await (const { kind, records } of readSnapshot(snapshot)) {
    const digests = new Map<string, string>();
    const bytesOfBlobs = readBlobs(snapshot, records.flatMap(blobsOf));
    for (const { name } of records.flatMap(blobsOf)) {
      const bytes: Uint8Array | null = (await bytesOfBlobs.next()).value ?? null;
      if (bytes !== null) digests.set(name, digestOf(bytes).sha256);
    }
    yield { kind, records, digests };
  }
}

async function* itemsOf(parts: AsyncIterable<Omit<RecordsPart, 'type'>>): AsyncGenerator<Item> {
  for await (const { kind, records, digests } of parts)
    for (const record of records) yield { kind, record, digests };
}

async function nextOf(items: AsyncIterator<Item>): Promise<Item | null> {
  const next = await items.next();
  return next.done ? null : next.value;
}

/** Negative: `a` comes first, or there is no `b`. */
function compareOrder(a: Item | null, b: Item | null): number {
  if (a === null || b === null) return a === null ? 1 : -1;
  if (a.kind !== b.kind) return archiveKinds.indexOf(a.kind) - archiveKinds.indexOf(b.kind);
  const [idA, idB] = [archiveId(a.record), archiveId(b.record)];
  return idA === idB ? 0 : idA < idB ? -1 : 1;
}

function* compareItems(wanted: Item, stored: Item): Generator<string> {
  const fields = findDifferences(wanted.record, stored.record);
  if (fields.length > 0) yield `${describe(wanted)} differs in ${fields.join(', ')}`;
  for (const { name, label } of blobsOf(wanted.record)) {
    const [digest, other] = [wanted.digests.get(name), stored.digests.get(name)];
    if (digest === undefined || digest === other) continue; // undefined: the reader reports it
    yield `${label} ${other === undefined ? 'is not in the store' : 'differs'}`;
  }
}

/** The fields that differ; none: the records are equal. */
function findDifferences(wanted: ArchiveRecord, stored: ArchiveRecord): string[] {
  const [textA, textB] = [canonicalJson(wanted), canonicalJson(stored)];
  if (textA === textB) return [];
  const [a, b]: Record<string, unknown>[] = [JSON.parse(textA), JSON.parse(textB)];
  return Object.keys({ ...a, ...b })
    .sort()
    .filter((name) => !isDeepStrictEqual(a?.[name], b?.[name]));
}

/** `drops 0198f… (abc123)`. */
function describe({ kind, record }: Item): string {
  const id = `${kind} ${archiveId(record)}`;
  return 'versions' in record ? `${id} (${record.slug})` : id;
}
