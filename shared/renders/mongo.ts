import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { bytes, field, orAbsent, type RecordOf, record, type StoredRecord, text } from '../domain/record.ts';
import { collectionOf, type DocumentOf, type ListIds, listTexts } from '../mongo/collection.ts';
import { forRequests, inBackground } from '../mongo/errors.ts';
import { distinctIds, mergedIds } from '../mongo/grid-bucket.ts';
import type { ArtefactPart, RenderHead, RenderStore } from './render-store.ts';

const idsPerDelete = 25;
/** The bytes of an ordinary page are so few; they are in the record. */
const maxBytesInRecord = 64 * 1024;
const chunkBytes = 1024 * 1024;

const isHead = (value: unknown): value is RenderHead => typeof value === 'object' && value !== null;

/** With bytes or with chunks. Releases that know chunks only render a page without them for each reader. */
export const artefactRecord = record('artefacts', {
  /** `<version id>/<renderer>`: see `artefactId`. */
  id: text(),
  head: field('object', 'a head', isHead),
  /** br, gzip and context one after the other. */
  bytes: orAbsent(bytes()),
  /** What the ids of its chunks begin with. */
  chunks: orAbsent(text()),
});

const artefactCollection = collectionOf(artefactRecord);

/** Parts of large artefacts: `<version id>/<renderer>/<uuid>/<number>`. The uuid keeps two puts at once apart. */
const chunkRecord = record('artefact_chunks', { id: text(), bytes: bytes() });
const chunkCollection = collectionOf(chunkRecord);

type ForRequests = 'put' | 'findHead' | 'findPart' | 'listRendered';
type ForJobs = 'deleteOlder' | 'delete' | 'listIds';

/** An artefact is one record. The record of a large one is written after its chunks and deleted before them. */
export function createMongoRenderStore(connection: Connection): RenderStore {
  const artefactRecords = artefactCollection.in(connection);
  const artefacts = artefactRecords.model;
  const chunks = chunkCollection.in(connection).model;

  /** @returns false if there is an artefact already, which stays */
  const insertFirst = (artefact: RecordOf<typeof artefactRecord>) =>
    artefactRecords.insertUnlessTaken(artefact, '_id_');

  /** The bytes from `start` to `end` at least, and where they start. null: some are gone. */
  async function readChunks(id: string, start: number, end: number) {
    const from = Math.floor(start / chunkBytes);
    const ids: string[] = [];
    for (let n = from; n * chunkBytes < end; n++) ids.push(chunkId(id, n));
    const found = await chunks.find({ _id: { $in: ids } }).lean();
    if (found.length < ids.length) return null;
    found.sort((a, b) => (a._id < b._id ? -1 : 1));
    return { bytes: Buffer.concat(found.map(({ bytes }) => toBytes(bytes))), start: from * chunkBytes };
  }

  async function readRecord(versionId: string, { plan }: RenderHead) {
    const found = await artefacts.findById(artefactId(versionId, plan.renderer), { bytes: 1 }).lean();
    return found?.bytes == null ? null : { bytes: toBytes(found.bytes), start: 0 };
  }

  const forReaders = forRequests<Pick<RenderStore, ForRequests>>(connection, {
    async put(versionId, { head, br, gzip, context }) {
      const id = artefactId(versionId, head.plan.renderer);
      const bytes = Buffer.concat(context === null ? [br, gzip] : [br, gzip, context]);
      if (bytes.byteLength <= maxBytesInRecord) {
        await insertFirst({ id, head, bytes, chunks: null });
        return;
      }
      const chunksId = `${id}/${randomUUID()}`;
      await chunks.insertMany(splitBytes(chunksId, bytes), { lean: true });
      if (!(await insertFirst({ id, head, bytes: null, chunks: chunksId })))
        await chunks.deleteMany({ _id: under(chunksId) });
    },

    async findHead(versionId, renderer) {
      const range = { _id: { $gt: `${versionId}/`, $lte: artefactId(versionId, renderer) } };
      const found = await artefacts.findOne(range, { head: 1, chunks: 1 }).sort({ _id: -1 }).lean();
      if (found === null) return null;
      const head: StoredHead = { ...found.head, chunks: found.chunks ?? null };
      return head;
    },

    async findPart(versionId, head, part) {
      const [start, end] = rangeOf(head, part);
      if (end === null) return null;
      const { chunks } = head as StoredHead; // proof: `findHead` made it
      const found = await (chunks === null ? readRecord(versionId, head) : readChunks(chunks, start, end));
      return found && new Uint8Array(found.bytes.subarray(start - found.start, end - found.start)); // a copy, to free the rest
    },

    async listRendered(versionIds, renderer) {
      const ids = versionIds.map((versionId) => artefactId(versionId, renderer));
      const found = await artefacts.find({ _id: { $in: ids } }, { _id: 1 }).lean();
      return new Set(found.map(({ _id }) => versionOf(_id)));
    },
  });

  const forJobs = inBackground<Pick<RenderStore, ForJobs>>(connection, {
    async deleteOlder(versionId, renderer) {
      const older = { $gt: `${versionId}/`, $lt: artefactId(versionId, renderer) };
      const found = await artefacts.find({ _id: older }, { chunks: 1 }).lean();
      if (found.length === 0) return false;
      await artefacts.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      // Not the chunks of a put under way: it will write its record.
      const those = found.flatMap(({ chunks }) => (chunks == null ? [] : { _id: under(chunks) }));
      if (those.length > 0) await chunks.deleteMany({ $or: those });
      return true;
    },

    async delete(versionIds) {
      for (let from = 0; from < versionIds.length; from += idsPerDelete) {
        const those = { $or: versionIds.slice(from, from + idsPerDelete).map((id) => ({ _id: under(id) })) };
        await artefacts.deleteMany(those);
        await chunks.deleteMany(those);
      }
    },

    /** With the chunks that an interrupted put or removal left behind. */
    listIds: mergedIds(idsOfVersions(connection, artefactRecord), idsOfVersions(connection, chunkRecord)),
  });
  return { ...forReaders, ...forJobs };
}

/** Ids of versions, by the ids of documents that begin with them. */
function idsOfVersions(connection: Connection, { name }: StoredRecord): ListIds {
  return distinctIds(listTexts(connection, name), versionOf, (id) => `${id}0`); // `0` is the character after `/`
}

interface StoredHead extends RenderHead {
  readonly chunks: string | null;
}

/** The range of the part in the bytes of its artefact. `end` is null if there is no such part. */
function rangeOf(
  { facts, contextLength }: RenderHead,
  part: ArtefactPart,
): [start: number, end: number | null] {
  const [br, gzip] = [facts.br.byteLength, facts.gzip.byteLength];
  if (part === 'br') return [0, br];
  if (part === 'gzip') return [br, br + gzip];
  return [br + gzip, contextLength === null ? null : br + gzip + contextLength];
}

/** Ordered by version, then by renderer. */
export function artefactId(versionId: string, renderer: number): string {
  return `${versionId}/${String(renderer).padStart(6, '0')}`;
}

export function versionOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}

export function rendererOf(id: string): number {
  return Number(id.slice(id.indexOf('/') + 1));
}

function chunkId(chunks: string, number: number): string {
  return `${chunks}/${String(number).padStart(6, '0')}`;
}

function splitBytes(id: string, bytes: Uint8Array): DocumentOf<typeof chunkRecord>[] {
  const count = Math.ceil(bytes.byteLength / chunkBytes);
  return Array.from({ length: count }, (_, n) => ({
    _id: chunkId(id, n),
    bytes: bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes),
  }));
}

function toBytes(stored: Uint8Array): Uint8Array {
  return (stored as unknown as mongo.Binary).value(); // proof: lean returns BSON
}

/** Ids that begin with `<prefix>/`. `0` is the character after `/`. */
function under(prefix: string) {
  return { $gte: `${prefix}/`, $lt: `${prefix}0` };
}
