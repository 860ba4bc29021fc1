import { type Connection, Schema } from 'mongoose';
import { unavailable } from '../../domain/errors.ts';
import type { Report, ReportFact, ReportReason } from '../../domain/report.ts';
import type { NewReport, ReportQuery, ReportStore } from '../../ports/report-store.ts';
import { answerMs } from './connection.ts';
import { pickPlace } from './drop-places.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

interface ReportDocument {
  readonly _id: string;
  readonly drop_id: string;
  readonly slug: string;
  readonly version: number;
  readonly reason: ReportReason;
  readonly text: string;
  readonly contact: string | null;
  readonly created_at: number;
  /** Among the open reports of its drop, below the cap; absent once closed. */
  readonly place?: number;
  /** null while open. */
  readonly closed_at: number | null;
}

/** A place that is lost was won by another report of the same moment, so it is a few that are lost in a row. */
const attempts = 100;

const isOpen = { closed_at: null };
/** A condition of the index, since not every server takes one for the order alone. */
const isAny = { created_at: { $gte: 0 } };
const hasPlace = { place: { $exists: true } };
const newestFirst = { created_at: -1, _id: 1 } as const;
const factFields = { slug: 1, reason: 1, created_at: 1 } as const;

const schema = new Schema<ReportDocument>(
  {
    _id: String,
    drop_id: String,
    slug: String,
    version: Number,
    reason: String,
    text: String,
    contact: { type: String, default: null },
    created_at: Number,
    place: Number,
    closed_at: { type: Number, default: null },
  },
  { collection: 'reports', versionKey: false, autoIndex: false, autoCreate: false },
);
schema.index(
  { drop_id: 1, place: 1 },
  { name: 'reports_place', unique: true, partialFilterExpression: hasPlace },
);
schema.index(newestFirst, { name: 'reports_created' });
schema.index({ closed_at: 1, ...newestFirst }, { name: 'reports_state' });
schema.index({ slug: 1, ...newestFirst }, { name: 'reports_page' });
schema.index({ closed_at: 1, slug: 1, ...newestFirst }, { name: 'reports_open_page' });

/** Of that connection; the same one at every call. */
export function reportModel(connection: Connection) {
  return connection.model('Report', schema);
}

export function createMongoReportStore(connection: Connection): ReportStore {
  const reports = reportModel(connection);

  async function isKnown(id: string): Promise<boolean> {
    return (await reports.exists({ _id: id })) !== null;
  }

  async function drawPlace(dropId: string, cap: number): Promise<number | null> {
    const taken = await reports.find({ drop_id: dropId, ...hasPlace }, { _id: 0, place: 1 }).lean();
    const places = taken.map(({ place }) => place).filter((place) => place !== undefined);
    return pickPlace(places, cap);
  }

  /** false: another document has its id or its place. */
  async function insertAt(place: number, report: NewReport): Promise<boolean> {
    try {
      await reports.create(toDocument(report, place));
      return true;
    } catch (error) {
      if (isDuplicateOf(error, '_id_') || isDuplicateOf(error, 'reports_place')) return false;
      throw error;
    }
  }

  return withTimeLimit<ReportStore>(answerMs(connection), {
    async insert(report, cap) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        if (await isKnown(report.id)) return 'known';
        const place = await drawPlace(report.dropId, cap);
        if (place === null) return 'full';
        if (await insertAt(place, report)) return 'inserted';
      }
      throw unavailable('The page is being reported by too many at a time.');
    },

    async find(id) {
      const found = await reports.findById(id).lean();
      return found === null ? null : toReport(found);
    },

    async list(query) {
      const found = await reports
        .find(matching(query))
        .sort(newestFirst)
        .limit(query.limit)
        .hint(indexFor(query))
        .lean();
      return found.map(toReport);
    },

    async listOpenByPage(after, limit) {
      const found = await reports
        .find({ ...isOpen, ...(after !== null && onPagesBehind(after)) }, factFields)
        .sort({ slug: 1, ...newestFirst })
        .limit(limit)
        .hint('reports_open_page')
        .lean();
      return found.map(toFact);
    },

    async close(id, now) {
      const { matchedCount } = await reports.updateOne({ _id: id, ...isOpen }, closing(now));
      return matchedCount > 0;
    },

    async closeOfPage(slug, now, limit) {
      for (;;) {
        const open = await reports
          .find({ slug, ...isOpen }, { _id: 1 })
          .sort(newestFirst)
          .limit(limit)
          .hint('reports_open_page')
          .lean();
        if (open.length === 0) return 0;
        const ids = open.map(({ _id }) => _id);
        const { matchedCount } = await reports.updateMany({ _id: { $in: ids }, ...isOpen }, closing(now));
        if (matchedCount > 0) return matchedCount; // else others closed all of these meanwhile
      }
    },

    async removeClosedBefore(before) {
      await reports.deleteMany({ closed_at: { $lt: before } });
    },
  });
}

function closing(now: number) {
  return { $set: { closed_at: now }, $unset: { place: 1 as const } };
}

function matching({ withClosed, slug, before }: ReportQuery) {
  return {
    ...(withClosed ? isAny : isOpen),
    ...(slug !== null && { slug }),
    ...(before !== null && behind(before)),
  };
}

function indexFor({ withClosed, slug }: ReportQuery): string {
  if (slug === null) return withClosed ? 'reports_created' : 'reports_state';
  return withClosed ? 'reports_page' : 'reports_open_page';
}

/** The first condition finds the place in the index; the second passes over those of the same time. */
function behind({ createdAt, id }: Pick<Report, 'id' | 'createdAt'>) {
  return {
    created_at: { $lte: createdAt },
    $or: [{ created_at: { $lt: createdAt } }, { _id: { $gt: id } }],
  };
}

/** The same for an order that begins with the slug. */
function onPagesBehind({ slug, ...place }: ReportFact) {
  return { slug: { $gte: slug }, $or: [{ slug: { $gt: slug } }, behind(place)] };
}

function toDocument({ id, dropId, createdAt, ...rest }: NewReport, place: number): ReportDocument {
  return { _id: id, drop_id: dropId, created_at: createdAt, ...rest, place, closed_at: null };
}

function toReport({ _id, drop_id, created_at, place, closed_at, ...rest }: ReportDocument): Report {
  return { id: _id, dropId: drop_id, createdAt: created_at, closedAt: closed_at, ...rest };
}

function toFact({
  _id,
  slug,
  reason,
  created_at,
}: Pick<ReportDocument, '_id' | 'slug' | 'reason' | 'created_at'>): ReportFact {
  return { id: _id, slug, reason, createdAt: created_at };
}
