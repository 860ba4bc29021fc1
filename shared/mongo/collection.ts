import {
  type Connection,
  type IndexDefinition,
  type IndexOptions,
  type Model,
  mongo,
  Schema,
} from 'mongoose';
import type { BlobIds } from '../blobs/blob-store.ts';
import { columnOf, keyOf, type RecordOf, type StoredRecord } from '../domain/record.ts';
import { inBackground, isDuplicateOf } from './errors.ts';

type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** The field that `_id` stands for. With a key of several fields, `_id` is one more. */
type IdField<R extends StoredRecord> = R['key'] extends readonly [infer Only] ? Only : never;

/** The fields of a record in a document. Where one is null, it may be absent. */
export type FieldsOf<R extends StoredRecord> = {
  readonly [N in keyof RecordOf<R> & string as N extends IdField<R> ? never : Snake<N>]: RecordOf<R>[N];
};

/** A stored record (domain/record.ts) as MongoDB has it. */
export type DocumentOf<R extends StoredRecord> = { readonly _id: string } & FieldsOf<R>;

export interface Collection<R extends StoredRecord> {
  in(connection: Connection): Model<DocumentOf<R>>;
  toDocument(record: RecordOf<R>): DocumentOf<R>;
  toRecord(document: DocumentOf<R>): RecordOf<R>;
  /** `toRecord` of a document that may not be there. */
  orNull(document: DocumentOf<R> | null): RecordOf<R> | null;
}

const types = { text: String, number: Number, flag: Boolean, bytes: Buffer, object: Object };

/** @param renamed fields that have another name than `columnOf` */
export function fieldsOf<R extends StoredRecord, D extends object = FieldsOf<R>>(
  { names, fields }: R,
  renamed: Readonly<Record<string, string>> = {},
) {
  type T = RecordOf<R>;
  const own = names.map((name) => renamed[name] ?? columnOf(name));
  const entriesOf = <V>(of: (name: string) => V) => names.map((name, n) => [own[n], of(name)] as const);
  const definition: Record<string, unknown> = Object.fromEntries(
    entriesOf((name) => types[fields[name]?.type ?? 'text']),
  );
  const projection: Record<string, 1> = Object.fromEntries(entriesOf(() => 1 as const));
  return {
    /** Of a schema. */
    definition,
    projection,

    /** Adds the fields to the object. A loop: `Object.fromEntries` and spread objects take ten times as long. */
    read<O extends object>(document: D, into: O): O & T {
      const found = into as Record<string, unknown>; // proof: it gets more fields
      const stored = document as Readonly<Record<string, unknown>>; // proof: an object
      names.forEach((name, n) => {
        const value = stored[own[n] ?? ''] ?? null;
        found[name] = value instanceof mongo.Binary ? new Uint8Array(value.value()) : value; // a copy, to free the rest
      });
      return found as O & T; // proof: `write` has written it
    },

    write(stored: T): D {
      const document: Record<string, unknown> = {};
      names.forEach((name, n) => {
        const value: unknown = stored[name];
        if (value === null && fields[name]?.isLeftOut === true) return;
        document[own[n] ?? ''] = value instanceof Uint8Array ? Buffer.from(value) : value;
      });
      return document as D; // proof: the fields of the declaration
    },
  };
}

/** @param indexes beside the index of ids */
export function collectionOf<R extends StoredRecord>(
  record: R,
  ...indexes: readonly (readonly [name: string, keys: IndexDefinition, options?: IndexOptions])[]
): Collection<R> {
  type D = DocumentOf<R>;
  const { name: collection, key } = record;
  const [idField = ''] = key.length === 1 ? key : [];
  const { definition, read, write } = fieldsOf<R, D>(record, { [idField]: '_id' });
  const options = { collection, versionKey: false, autoIndex: false, autoCreate: false } as const;
  const schema: Schema = new Schema({ _id: String, ...definition }, options);
  for (const [name, keys, more] of indexes) schema.index(keys, { name, ...more });
  const toRecord = (document: D) => read(document, {});
  return {
    // proof: the schema has the fields of the declaration
    in: (connection) => connection.model(collection, schema) as unknown as Model<D>,
    toRecord,
    orNull: (document) => (document === null ? null : toRecord(document)),
    toDocument: (stored) => Object.assign({ _id: keyOf(record, stored) }, write(stored)),
  };
}

/** Inserts the document. @returns false if one of these unique indexes refuses it (`_id_` is the index of ids) */
export async function insertUnlessTaken<D>(
  model: Pick<Model<D>, 'create'>,
  document: D,
  ...indexes: readonly string[]
): Promise<boolean> {
  try {
    await model.create(document);
    return true;
  } catch (error) {
    if (isDuplicateOf(error, ...indexes)) return false;
    throw error;
  }
}

const idsPerDelete = 500;

/** Lists and deletes documents by id, for jobs. */
export function documentIds({ collection }: Pick<Model<unknown>, 'collection'>): BlobIds {
  // proof: the driver's types allow only ObjectIds, and ids are texts
  const among = (range: object) => ({ _id: range }) as object;
  return inBackground<BlobIds>({
    async delete(ids) {
      for (let from = 0; from < ids.length; from += idsPerDelete)
        await collection.deleteMany(among({ $in: ids.slice(from, from + idsPerDelete) }));
    },

    async listIds(after, below, limit) {
      const options = { projection: { _id: 1 }, sort: { _id: 1 }, limit, batchSize: limit } as const;
      const found = collection.find<{ _id: string }>(among({ $gt: after, $lt: below }), options);
      return (await found.toArray()).map(({ _id }) => _id);
    },
  });
}
