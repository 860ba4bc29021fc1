import { type Connection, type Model, mongo, Schema } from 'mongoose';
import type { ViewTotals } from '../../ports/view-totals.ts';
import { answerMs, backgroundMs } from './connection.ts';
import { dropModel } from './drop-schema.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';
import { pathsUnder } from './paths.ts';

/** Small updates: far below the time-out of a command. */
const atOnce = 500;

/** Views of one drop on one UTC day. */
interface DayViewsDocument {
  /** `<drop id>/<day>`: a drop's days are one range of ids. */
  readonly _id: string;
  /** Once more, to be found by. */
  readonly day: string;
  readonly count: number;
  /** The last batch that was added. */
  readonly views_batch: number;
}

const schema = new Schema<DayViewsDocument>(
  { _id: String, day: String, count: Number, views_batch: Number },
  { collection: 'day_views', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index({ day: 1, _id: 1 }, { name: 'day_views_day' });

/** Of that connection; the same one at every call. */
export function dayViewsModel(connection: Connection) {
  return connection.model('DayViews', schema);
}

/** Finds all days of the drop. */
export function daysOf(dropId: string) {
  return { _id: pathsUnder(dropId) };
}

type Add = Readonly<{ filter: object; update: object; upsert?: true }>;
type Write = (adds: readonly Add[]) => Promise<unknown>;

export function createMongoViewTotals(connection: Connection): ViewTotals {
  const days = dayViewsModel(connection);
  const drops = dropModel(connection);
  const write = { drops: bulkWriterOf(drops), days: bulkWriterOf(days) };

  /**
   * Removes the days of those drops that are deleted or gone. Done after days were written: of a drop that is deleted
   * later, its removal takes the days away (see `erase`).
   */
  async function removeOfGone(dropIds: readonly string[]): Promise<void> {
    const found = await drops.find({ _id: { $in: dropIds } }, { deleted_at: 1 }).lean();
    const live = new Set(found.filter(({ deleted_at }) => deleted_at === null).map(({ _id }) => _id));
    const gone = dropIds.filter((dropId) => !live.has(dropId));
    if (gone.length > 0) await days.deleteMany({ $or: gone.map(daysOf) });
  }

  const additions = withTimeLimit<Pick<ViewTotals, 'addToDrops' | 'addToDays'>>(backgroundMs, {
    async addToDrops(batch, counts) {
      const adds = counts.map(({ dropId, count }) => ({
        filter: { _id: dropId, views_batch: { $lt: batch } },
        update: { $inc: { view_count: count }, $set: { views_batch: batch } },
      }));
      await inSlices(adds, write.drops);
    },

    async addToDays(batch, counts) {
      // Where the day has this batch already, it is not found, and inserting it meets its own id.
      const adds = counts.map(({ dropId, day, count }) => ({
        filter: { _id: `${dropId}/${day}`, views_batch: { $lt: batch } },
        update: { $inc: { count }, $set: { views_batch: batch }, $setOnInsert: { day } },
        upsert: true as const,
      }));
      await inSlices(adds, (slice) => writeUnlessThere(slice, write.days));
      await inSlices([...new Set(counts.map(({ dropId }) => dropId))], removeOfGone);
    },
  });
  const readings = withTimeLimit<Pick<ViewTotals, 'listDays' | 'listViewed'>>(answerMs(connection), {
    async listDays(dropId) {
      const found = await days.find(daysOf(dropId)).sort({ _id: 1 }).lean();
      return new Map(found.map(({ _id, count }) => [_id.slice(dropId.length + 1), count]));
    },

    async listViewed(day, after, limit) {
      const behind = after === '' ? '' : `${after}/${day}`;
      const found = await days
        .find({ day, _id: { $gt: behind } }, { _id: 1 })
        .sort({ day: 1, _id: 1 })
        .limit(limit)
        .lean();
      return found.map(({ _id }) => _id.slice(0, _id.indexOf('/')));
    },
  });
  return { ...additions, ...readings };
}

/** By the driver: thousands of small updates have nothing that is to be cast. */
function bulkWriterOf({ collection }: Pick<Model<unknown>, 'collection'>): Write {
  return (adds) =>
    collection.bulkWrite(
      adds.map((add) => ({ updateOne: { ...add } })),
      { ordered: false },
    );
}

async function inSlices<T>(
  all: readonly T[],
  work: (slice: readonly T[]) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < all.length; from += atOnce) await work(all.slice(from, from + atOnce));
}

/**
 * Those that met a day of their id are tried once more: it may have been made at the same moment for a batch
 * before. Whoever meets it again finds this batch in it.
 */
async function writeUnlessThere(adds: readonly Add[], write: Write): Promise<void> {
  const refused = await refusedOf(adds, write);
  if (refused.length > 0) await refusedOf(refused, write);
}

/** Which were refused as duplicates. @throws any other error */
async function refusedOf(adds: readonly Add[], write: Write): Promise<Add[]> {
  try {
    await write(adds);
    return [];
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError) || !isDuplicateOf(error, '_id_')) throw error;
    const indexes = new Set([error.writeErrors].flat().map(({ index }) => index));
    return adds.filter((_, index) => indexes.has(index));
  }
}
