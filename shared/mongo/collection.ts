import {
  type Connection,
  type IndexDefinition,
  type IndexOptions,
  type Model,
  mongo,
  type QueryFilter,
  type QueryOptions,
  Schema,
  type UpdateQuery,
  type UpdateWithAggregationPipeline,
} from 'mongoose';
import type { BlobIds } from '../blobs/blob-store.ts';
import { columnOf, keyOf, type RecordOf, type StoredRecord } from '../domain/record.ts';
import { inParts } from '../util/in-parts.ts';
import { isDuplicateOf } from './errors.ts';

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

/** A stored record's collection: its documents, and its records in a database. */
export type Collection<R extends StoredRecord> = ReturnType<typeof collectionOf<R>>;

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
    /** The fields of a schema. */
    definition,
    projection,

    /** Adds the fields to the object. A loop: `Object.fromEntries` and spread objects are slow (docs/performance.md). */
    read<O extends object>(document: D, into: O): O & T {
      const found = into as Record<string, unknown>; // proof: it gets more fields
      const stored = document as Readonly<Record<string, unknown>>; // proof: an object
      names.forEach((name, n) => {
        const value = stored[own[n] ?? ''] ?? fields[name]?.added?.value ?? null;
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
) {
  type T = RecordOf<R>;
  type D = DocumentOf<R>;
  const { name: collection, key } = record;
  const [idField = ''] = key.length === 1 ? key : [];
  const { definition, read, write } = fieldsOf<R, D>(record, { [idField]: '_id' });
  const options = { collection, versionKey: false, autoIndex: false, autoCreate: false } as const;
  const schema: Schema = new Schema({ _id: String, ...definition }, options);
  for (const [name, keys, more] of indexes) schema.index(keys, { name, ...more });

  const toRecord = (document: D): T => read(document, {});
  const toDocument = (stored: T): D => Object.assign({ _id: keyOf(record, stored) }, write(stored));
  const open = (connection: Connection): Records<R> => {
    // proof: the schema has the fields of the declaration
    const model = connection.model(collection, schema) as unknown as Model<D>;
    return new Records<R>(model, { toRecord, toDocument });
  };
  return { in: open, toRecord, toDocument };
}

type Filter<R extends StoredRecord> = QueryFilter<DocumentOf<R>>;
type Update<R extends StoredRecord> = UpdateQuery<DocumentOf<R>> | UpdateWithAggregationPipeline;
type Sorted = Pick<QueryOptions, 'sort' | 'limit' | 'batchSize' | 'hint'>;

/** How a record is stored. */
interface Mapping<R extends StoredRecord> {
  toRecord(document: DocumentOf<R>): RecordOf<R>;
  toDocument(stored: RecordOf<R>): DocumentOf<R>;
}

/** The records of a database. Each method is one command. Filters and updates name the fields of documents. */
class Records<R extends StoredRecord> {
  readonly model: Model<DocumentOf<R>>;
  readonly #mapping: Mapping<R>;

  constructor(model: Model<DocumentOf<R>>, mapping: Mapping<R>) {
    this.model = model;
    this.#mapping = mapping;
  }

  /** null: none. */
  async find(filter: Filter<R>): Promise<RecordOf<R> | null> {
    return this.#orNull(await this.model.findOne(filter).lean<DocumentOf<R>>());
  }

  async list(filter: Filter<R>, sorted: Sorted): Promise<RecordOf<R>[]> {
    const found = await this.model.find(filter, null, sorted).lean<DocumentOf<R>[]>();
    return found.map(this.#mapping.toRecord);
  }

  async insert(stored: RecordOf<R>): Promise<void> {
    await this.model.create(this.#mapping.toDocument(stored));
  }

  /** false: one of these unique indexes refuses it (`_id_` is the index of ids). */
  async insertUnlessTaken(stored: RecordOf<R>, ...unique: readonly string[]): Promise<boolean> {
    try {
      await this.insert(stored);
      return true;
    } catch (error) {
      if (isDuplicateOf(error, ...unique)) return false;
      throw error;
    }
  }

  /** Updates one record; false: none matches. */
  async update(filter: Filter<R>, update: Update<R>): Promise<boolean> {
    return (await this.model.updateOne(filter, update, { updatePipeline: true })).matchedCount > 0;
  }

  /** Updates one record. false: none matches; `taken`: one of these unique indexes refuses it. */
  async updateUnlessTaken(
    filter: Filter<R>,
    update: Update<R>,
    ...unique: readonly string[]
  ): Promise<boolean | 'taken'> {
    try {
      return (await this.model.updateOne(filter, update)).matchedCount > 0;
    } catch (error) {
      if (isDuplicateOf(error, ...unique)) return 'taken';
      throw error;
    }
  }

  /** Updates one record and returns it; null: none matches. */
  async change(filter: Filter<R>, update: Update<R>): Promise<RecordOf<R> | null> {
    const changed = { returnDocument: 'after', updatePipeline: true } as const;
    return this.#orNull(await this.model.findOneAndUpdate(filter, update, changed).lean<DocumentOf<R>>());
  }

  /** @returns how many have changed */
  async updateAll(filter: Filter<R>, update: Update<R>): Promise<number> {
    return (await this.model.updateMany(filter, update)).modifiedCount;
  }

  /** @returns how many */
  async remove(filter: Filter<R>): Promise<number> {
    return (await this.model.deleteMany(filter)).deletedCount;
  }

  /**
   * Deletes at most `limit` records, by two commands: one command for very many would take longer than the servers are given.
   * @returns how many there were; fewer than `limit`: none is left
   */
  async removeSome(filter: Filter<R>, limit: number): Promise<number> {
    const found = await this.model
      .find(filter, { _id: 1 }, { limit, batchSize: limit + 1 })
      .lean<{ readonly _id: string }[]>();
    if (found.length === 0) return 0;
    const isFound = { _id: { $in: found.map(({ _id }) => _id) } };
    await this.model.deleteMany({ $and: [filter, isFound] } as Filter<R>); // proof: ids are texts
    return found.length;
  }

  /** Deletes the records whose time in that field is before `before` (Unix ms), in parts. */
  async removeBefore(time: keyof DocumentOf<R> & string, before: number): Promise<void> {
    const filter = { [time]: { $lt: before } } as Filter<R>; // proof: a field of the documents
    await inParts(idsPerDelete, (limit) => this.removeSome(filter, limit));
  }

  /** Deletes the records with these ids, in parts. Ignores unknown ids. */
  async removeByIds(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += idsPerDelete) {
      const isNamed = { _id: { $in: ids.slice(from, from + idsPerDelete) } };
      await this.remove(isNamed as Filter<R>); // proof: ids are texts
    }
  }

  #orNull(document: DocumentOf<R> | null): RecordOf<R> | null {
    return document === null ? null : this.#mapping.toRecord(document);
  }
}

const idsPerDelete = 500;

export type ListIds = BlobIds['listIds'];

/** Lists the texts in a field. @param sort the keys of an index that begins with the field, which alone is read */
export function listTexts(
  connection: Connection,
  collection: string,
  field = '_id',
  sort: Readonly<Record<string, 1>> = { [field]: 1 },
): ListIds {
  return async (after, below, limit) => {
    const options = { projection: { _id: 0, [field]: 1 }, sort, limit, batchSize: limit };
    const range = { [field]: { $gt: after, $lt: below } };
    const found = await connection.collection(collection).find(range, options).toArray();
    return found.map((each) => each[field]);
  };
}
