import type { Connection } from 'mongoose';
import { type DropRow, dropFields } from './drop-documents.ts';
import type { BoundedQuery, Filter, Query } from './drop-queries.ts';
import { type DropDocument, dropIndexes, dropModel } from './drop-schema.ts';
import type { Update } from './drop-updates.ts';
import { isDuplicateOf } from './errors.ts';

const uniqueIndexes = ['_id_', dropIndexes.slug, dropIndexes.place] as const;

export type DropCommands = ReturnType<typeof createDropCommands>;

/** Each is one command. The query's `fields` say what a row holds; the caller names the type of that. */
export function createDropCommands(connection: Connection) {
  const drops = dropModel(connection);

  return {
    findOne<Row>({ filter, fields }: Query): Promise<Row | null> {
      return drops.findOne(filter, fields).lean<Row>().exec();
    },

    find<Row>({ filter, fields, ...options }: BoundedQuery): Promise<Row[]> {
      const all = { ...options, batchSize: options.limit }; // in the first answer: it holds 101 unless told
      return drops.find(filter, fields, all).lean<Row[]>().exec();
    },

    count({ filter, hint }: Query): Promise<number> {
      return drops.countDocuments(filter, hint === undefined ? {} : { hint }).exec();
    },

    /** null: stored; otherwise the unique index that refuses it. */
    async insert(drop: DropDocument): Promise<(typeof uniqueIndexes)[number] | null> {
      try {
        await drops.insertOne(drop);
        return null;
      } catch (error) {
        const index = uniqueIndexes.find((name) => isDuplicateOf(error, name));
        if (index === undefined) throw error;
        return index;
      }
    },

    /** The drop as it stands after the update; null: none matched. */
    change(filter: Filter, update: Update): Promise<DropRow | null> {
      const options = { projection: dropFields, returnDocument: 'after', updatePipeline: true } as const;
      return drops.findOneAndUpdate(filter, update, options).lean<DropRow>().exec();
    },

    /** Whether one matched. */
    async note(filter: Filter, update: Update): Promise<boolean> {
      const { matchedCount } = await drops.updateOne(filter, update, { updatePipeline: true }).exec();
      return matchedCount > 0;
    },

    async isThere(filter: Filter): Promise<boolean> {
      return (await drops.exists(filter).exec()) !== null;
    },

    async erase(filter: Filter): Promise<void> {
      await drops.deleteOne(filter).exec();
    },
  };
}
