import { type Connection, type Model, mongo } from 'mongoose';
import { record, text, whole } from '../domain/record.ts';
import { dropModel } from '../drops/mongo-schema.ts';
import { collectionOf, type DocumentOf } from '../mongo/collection.ts';
import { inOneMinute, isDuplicateOf } from '../mongo/errors.ts';
import type { ViewCount, ViewTotals } from './view-store.ts';

const updatesPerCall = 500;
const daysPerPart = 1_000;
const partsPerCall = 50;

/** Views of one drop on one UTC day. */
const dayViewsRecord = record('day_views', {
  /** `<drop id>/<day>`: a drop's days are one range of ids. */
  id: text(),
  count: whole(),
  /** Number of the last batch that was added. */
  viewsBatch: whole(),
});

export type DayViewsDocument = DocumentOf<typeof dayViewsRecord>;

export const dayViewsCollection = collectionOf(dayViewsRecord);

/** The days of the drop, from that one on; '' for all. `0` is the character after `/`. */
export function daysOf(dropId: string, from = '') {
  return { _id: { $gte: `${dropId}/${from}`, $lt: `${dropId}0` } };
}

type Add = Readonly<{ filter: object; update: object; upsert?: true }>;

/**
 * Drops and days ignore a batch whose number is not above their last one. `mongo/stores.ts` sets the time limits of its calls,
 * except for `addBatch`: each part of a batch has a minute.
 */
export class MongoViewTotals implements ViewTotals {
  readonly #connection: Connection;
  readonly #days;
  readonly #drops;
  /** Where the next call of `removeDaysBefore` goes on. */
  #checkedUpTo = '';

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#days = dayViewsCollection.in(connection);
    this.#drops = dropModel(connection);
  }

  async listDays(dropId: string, from?: string): Promise<Map<string, number>> {
    const found = await this.#days.list(daysOf(dropId, from), { sort: { _id: 1 } });
    return new Map(found.map(({ id, count }) => [id.slice(dropId.length + 1), count]));
  }

  async listDaysOfDrops(
    dropIds: readonly string[],
    dates: readonly string[],
  ): Promise<Map<string, ReadonlyMap<string, number>>> {
    // By each id: DocumentDB reads the whole index for ranges under `$or`.
    const ids = dropIds.flatMap((dropId) => dates.map((day) => `${dropId}/${day}`));
    const found = await this.#days.model
      .find({ _id: { $in: ids } }, { count: 1 }, { batchSize: ids.length + 1 })
      .lean();
    const byDrop = new Map<string, Map<string, number>>();
    for (const { _id, count } of found) {
      const [dropId = '', day = ''] = _id.split('/');
      const counts = byDrop.get(dropId) ?? new Map<string, number>();
      byDrop.set(dropId, counts.set(day, count));
    }
    return byDrop;
  }

  /** Ids begin with the drop, so all are looked at, in turns of calls. */
  async removeDaysBefore(day: string): Promise<void> {
    for (let part = 0; part < partsPerCall; part++) {
      const sorted = { sort: { _id: 1 }, limit: daysPerPart, batchSize: daysPerPart + 1 } as const;
      const range = { _id: { $gt: this.#checkedUpTo } };
      const found = await this.#days.model.find(range, { _id: 1 }, sorted).lean();
      const old = found.map(({ _id }) => _id).filter((id) => id.slice(id.indexOf('/') + 1) < day);
      if (old.length > 0) await this.#days.remove({ _id: { $in: old } });
      this.#checkedUpTo = found.length < daysPerPart ? '' : (found.at(-1)?._id ?? '');
      if (this.#checkedUpTo === '') return;
    }
  }

  async addBatch(number: number, counts: readonly ViewCount[]): Promise<void> {
    for (const part of partsOf([...sumByDrop(counts)]))
      await inOneMinute(this.#connection, () => this.#addToDrops(number, part));
    for (const part of partsOf(counts))
      await inOneMinute(this.#connection, () => this.#addToDays(number, part));
  }

  async #addToDrops(
    number: number,
    sums: readonly (readonly [dropId: string, count: number])[],
  ): Promise<void> {
    const adds = sums.map(([dropId, count]) => ({
      filter: { _id: dropId, views_batch: { $lt: number } },
      update: { $inc: { view_count: count }, $set: { views_batch: number } },
    }));
    await bulkWrite(this.#drops, adds);
  }

  async #addToDays(number: number, counts: readonly ViewCount[]): Promise<void> {
    const adds = counts.map(({ dropId, day, count }) => ({
      filter: { _id: `${dropId}/${day}`, views_batch: { $lt: number } },
      update: { $inc: { count }, $set: { views_batch: number } },
      upsert: true as const,
    }));
    // A duplicate has two causes: the day has this batch (it fails again), or another job just inserted the day (it adds).
    const duplicates = await bulkWrite(this.#days.model, adds);
    if (duplicates.length > 0) await bulkWrite(this.#days.model, duplicates);
    await this.#deleteDaysOfGone([...new Set(counts.map(({ dropId }) => dropId))]);
  }

  /** Called after days were written: the removal of a drop that is deleted later deletes its days (`erase`). */
  async #deleteDaysOfGone(dropIds: readonly string[]): Promise<void> {
    const live = await this.#drops.find({ _id: { $in: dropIds }, deleted_at: null }, { _id: 1 }).lean();
    const liveIds = new Set(live.map(({ _id }) => _id));
    const gone = dropIds.filter((dropId) => !liveIds.has(dropId));
    if (gone.length > 0) await this.#days.remove({ $or: gone.map((dropId) => daysOf(dropId)) });
  }
}

/** A drop ignores the second addition of a batch, so its days are summed. */
function sumByDrop(counts: readonly ViewCount[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { dropId, count } of counts) sums.set(dropId, (sums.get(dropId) ?? 0) + count);
  return sums;
}

function* partsOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += updatesPerCall)
    yield items.slice(from, from + updatesPerCall);
}

/** Without Mongoose, which would cast thousands of values. @returns the upserts that were refused because their id exists */
async function bulkWrite(
  { collection }: Pick<Model<unknown>, 'collection'>,
  adds: readonly Add[],
): Promise<Add[]> {
  try {
    await collection.bulkWrite(
      adds.map((add) => ({ updateOne: { ...add } })),
      { ordered: false },
    );
    return [];
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError) || !isDuplicateOf(error, '_id_')) throw error;
    const refused = new Set([error.writeErrors].flat().map(({ index }) => index));
    return adds.filter((_, index) => refused.has(index));
  }
}
