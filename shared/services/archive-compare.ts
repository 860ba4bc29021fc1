import { isDeepStrictEqual } from 'node:util';
import {
  type ArchivedDrop,
  type ArchiveKind,
  type ArchiveRecord,
  archiveId,
  archiveKinds,
  canonicalJson,
} from '../domain/archive.ts';
import type { ArchiveSnapshot } from '../ports/archive-store.ts';
import { type BlobDigest, blobsOf, digestOf } from './archive-format.ts';
import type { RecordsPart } from './archive-reader.ts';
import { createReadAhead } from './blob-read-ahead.ts';

/** Compares an archive with a store, record by record and blob by blob, in one pass over both. */
export function createComparison(snapshot: ArchiveSnapshot, onDifference: (text: string) => void) {
  const kinds = [...archiveKinds];
  const readAhead = createReadAhead(snapshot);
  let cursor: { kind: ArchiveKind; store: Cursor } | null = null;

  /** Moves on to the kind; what the store still has of the kinds before it is not in the archive. */
  async function moveTo(kind: ArchiveKind | null): Promise<void> {
    while (cursor?.kind !== kind) {
      if (cursor !== null) await reportMore(cursor, null);
      const next = kinds.shift();
      cursor = next === undefined ? null : { kind: next, store: createCursor(next, snapshot) };
      if (cursor === null) return;
    }
  }

  /** @param before the id at which to stop; null: the end of the kind */
  async function reportMore({ kind, store }: NonNullable<typeof cursor>, before: string | null) {
    for (let record = await store.peek(); record !== null; record = await store.peek()) {
      if (before !== null && archiveId(kind, record) >= before) return;
      onDifference(`${describe(kind, record)} is not in the archive`);
      store.skip();
    }
  }

  async function compare(kind: ArchiveKind, wanted: ArchiveRecord, digests: RecordsPart['digests']) {
    if (cursor === null) return; // the kind is out of order, which the reader reports
    const id = archiveId(kind, wanted);
    await reportMore(cursor, id);
    const stored = await cursor.store.peek();
    if (stored === null || archiveId(kind, stored) !== id) {
      onDifference(`${describe(kind, wanted)} is not in the store`);
      return;
    }
    cursor.store.skip();
    const fields = findDifferences(wanted, stored);
    if (fields.length > 0) onDifference(`${describe(kind, wanted)} differs in ${fields.join(', ')}`);
    if (kind === 'drops') await compareBlobs(wanted as ArchivedDrop, digests); // proof: of that kind
  }

  async function compareBlobs(drop: ArchivedDrop, digests: ReadonlyMap<string, BlobDigest>): Promise<void> {
    for (const blob of blobsOf(drop)) {
      const { name, what, version } = blob;
      const wanted = digests.get(name);
      if (wanted === undefined) continue; // missing in the archive, which the reader reports
      const bytes = await readAhead.read(blob);
      const isSame = bytes !== null && digestOf(bytes).sha256 === wanted.sha256;
      if (isSame) continue;
      const difference = bytes === null ? 'is not in the store' : 'differs';
      onDifference(`${name} (${what} of version ${version} of ${drop.slug}) ${difference}`);
    }
  }

  return {
    async add({ kind, records, digests }: RecordsPart): Promise<void> {
      await moveTo(kind);
      const drops = kind === 'drops' ? (records as readonly ArchivedDrop[]) : []; // proof: of that kind
      readAhead.expect(drops.flatMap(blobsOf));
      for (const record of records) await compare(kind, record, digests);
      readAhead.forget(drops.flatMap(blobsOf)); // those of drops that are not in the store
    },
    /** After the last records. */
    end: () => moveTo(null),
  };
}

interface Cursor {
  /** The next record; null: there are no more. */
  peek(): Promise<ArchiveRecord | null>;
  skip(): void;
}

function createCursor(kind: ArchiveKind, snapshot: ArchiveSnapshot): Cursor {
  const batches = snapshot.read(kind)[Symbol.asyncIterator]();
  let batch: readonly ArchiveRecord[] = [];
  let at = 0;
  let isEnd = false;
  return {
    async peek() {
      while (at === batch.length && !isEnd) {
        const next = await batches.next();
        isEnd = next.done === true;
        batch = next.done ? [] : next.value;
        at = 0;
      }
      return batch[at] ?? null;
    },
    skip() {
      at += 1;
    },
  };
}

/** The fields that differ; none: the records are equal. */
function findDifferences(wanted: ArchiveRecord, stored: ArchiveRecord): string[] {
  if (canonicalJson(wanted) === canonicalJson(stored)) return [];
  const [a, b] = [fieldsOf(wanted), fieldsOf(stored)];
  const names = [...new Set([...a.keys(), ...b.keys()])].sort();
  return names.filter((name) => !isDeepStrictEqual(a.get(name), b.get(name)));
}

function fieldsOf(record: ArchiveRecord): Map<string, unknown> {
  return new Map(Object.entries(JSON.parse(canonicalJson(record))));
}

/** `drops 0198f… (abc123)`. */
function describe(kind: ArchiveKind, record: ArchiveRecord): string {
  const id = `${kind} ${archiveId(kind, record)}`;
  return 'versions' in record ? `${id} (${record.slug})` : id;
}
