import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import { bytes, field, orAbsent, type RecordOf, record, type StoredRecord, text } from '../domain/record.ts';
import { collectionOf, type DocumentOf, type ListIds, listTexts } from '../mongo/collection.ts';
import { distinctIds, mergedIds } from '../mongo/grid-bucket.ts';
import type { Artefact, ArtefactPart, RenderHead, RenderStore } from './render-store.ts';

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

/**
 * An artefact is one record. The record of a large one is written after its chunks and deleted before them.
 * `mongo/stores.ts` sets the time limits of its calls.
 */
export class MongoRenders implements RenderStore {
  readonly #records;
  readonly #artefacts;
  readonly #chunks;
  /** With the chunks that an interrupted put or removal left behind. */
  readonly listIds: ListIds;

  constructor(connection: Connection) {
    this.#records = artefactCollection.in(connection);
    this.#artefacts = this.#records.model;
    this.#chunks = chunkCollection.in(connection).model;
    this.listIds = mergedIds(
      idsOfVersions(connection, artefactRecord),
      idsOfVersions(connection, chunkRecord),
    );
  }

  async put(versionId: string, { head, br, gzip, context }: Artefact): Promise<void> {
    const id = artefactId(versionId, head.plan.renderer);
    const bytes = Buffer.concat(context === null ? [br, gzip] : [br, gzip, context]);
    if (bytes.byteLength <= maxBytesInRecord) {
      await this.#insertFirst({ id, head, bytes, chunks: null });
      return;
    }
    const chunks = `${id}/${randomUUID()}`;
    await this.#chunks.insertMany(splitBytes(chunks, bytes), { lean: true });
    const isFirst = await this.#insertFirst({ id, head, bytes: null, chunks });
    if (!isFirst) await this.#chunks.deleteMany({ _id: under(chunks) });
  }

  async findHead(versionId: string, renderer: number): Promise<RenderHead | null> {
    const range = { _id: { $gt: `${versionId}/`, $lte: artefactId(versionId, renderer) } };
    const found = await this.#artefacts.findOne(range, { head: 1, chunks: 1 }).sort({ _id: -1 }).lean();
    if (found === null) return null;
    const head: StoredHead = { ...found.head, chunks: found.chunks ?? null };
    return head;
  }

  async findPart(versionId: string, head: RenderHead, part: ArtefactPart): Promise<Uint8Array | null> {
    const range = rangeOf(head, part);
    if (range === null) return null;
    const { start, end } = range;
    const { chunks } = head as StoredHead; // proof: `findHead` made it
    const found = await (chunks === null
      ? this.#readRecord(versionId, head)
      : this.#readChunks(chunks, start, end));
    return found && new Uint8Array(found.bytes.subarray(start - found.start, end - found.start)); // a copy, to free the rest
  }

  async listRendered(versionIds: readonly string[], renderer: number): Promise<Set<string>> {
    const ids = versionIds.map((versionId) => artefactId(versionId, renderer));
    const found = await this.#artefacts.find({ _id: { $in: ids } }, { _id: 1 }).lean();
    return new Set(found.map(({ _id }) => versionIdOf(_id)));
  }

  async deleteOlder(versionId: string, renderer: number): Promise<boolean> {
    const older = { $gt: `${versionId}/`, $lt: artefactId(versionId, renderer) };
    const found = await this.#artefacts.find({ _id: older }, { chunks: 1 }).lean();
    if (found.length === 0) return false;
    await this.#artefacts.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    // Not the chunks of a put under way: it will write its record.
    const those = found.flatMap(({ chunks }) => (chunks == null ? [] : { _id: under(chunks) }));
    if (those.length > 0) await this.#chunks.deleteMany({ $or: those });
    return true;
  }

  async delete(versionIds: readonly string[]): Promise<void> {
    for (let from = 0; from < versionIds.length; from += idsPerDelete) {
      const those = { $or: versionIds.slice(from, from + idsPerDelete).map((id) => ({ _id: under(id) })) };
      await this.#artefacts.deleteMany(those);
      await this.#chunks.deleteMany(those);
    }
  }

  /** @returns false if there is an artefact already, which stays */
  #insertFirst(artefact: RecordOf<typeof artefactRecord>): Promise<boolean> {
    return this.#records.insertUnlessTaken(artefact, '_id_');
  }

  async #readRecord(versionId: string, { plan }: RenderHead): Promise<Bytes | null> {
    const id = artefactId(versionId, plan.renderer);
    const found = await this.#artefacts.findById(id, { bytes: 1 }).lean();
    return found?.bytes == null ? null : { bytes: toBytes(found.bytes), start: 0 };
  }

  /** The bytes from `start` to `end` at least. null: some are gone. */
  async #readChunks(id: string, start: number, end: number): Promise<Bytes | null> {
    const from = Math.floor(start / chunkBytes);
    const ids: string[] = [];
    for (let n = from; n * chunkBytes < end; n++) ids.push(chunkId(id, n));
    const found = await this.#chunks.find({ _id: { $in: ids } }).lean();
    if (found.length < ids.length) return null;
    found.sort((a, b) => (a._id < b._id ? -1 : 1));
    return { bytes: Buffer.concat(found.map(({ bytes }) => toBytes(bytes))), start: from * chunkBytes };
  }
}

/** A part of an artefact's bytes. */
interface Bytes {
  readonly bytes: Uint8Array;
  /** Where they start. */
  readonly start: number;
}

/** Ids of versions, by the ids of documents that begin with them. */
function idsOfVersions(connection: Connection, { name }: StoredRecord): ListIds {
  return distinctIds(listTexts(connection, name), versionIdOf, (id) => `${id}0`); // `0` is the character after `/`
}

interface StoredHead extends RenderHead {
  readonly chunks: string | null;
}

/** Where the part is in the bytes of its artefact. null: there is no such part. */
function rangeOf({ facts, contextLength }: RenderHead, part: ArtefactPart) {
  const br = facts.br.byteLength;
  const gzip = facts.gzip.byteLength;
  if (part === 'br') return { start: 0, end: br };
  if (part === 'gzip') return { start: br, end: br + gzip };
  return contextLength === null ? null : { start: br + gzip, end: br + gzip + contextLength };
}

/** Ordered by version, then by renderer. */
export function artefactId(versionId: string, renderer: number): string {
  return `${versionId}/${String(renderer).padStart(6, '0')}`;
}

export function versionIdOf(id: string): string {
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
