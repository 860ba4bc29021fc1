import { type Connection, Schema } from 'mongoose';
import { unavailable } from '../../domain/errors.ts';
import type { Report, ReportedPage, ReportReason } from '../../domain/report.ts';
import type { NewReport, ReportQuery, ReportStore } from '../../ports/report-store.ts';
import { pickPlace } from '../../util/pick-place.ts';
import { answerMs } from './connection.ts';
import { isDuplicateOf, withTimeLimit } from './errors.ts';

export interface ReportDocument {
  readonly _id: string;
  readonly drop_id: string;
  readonly slug: string;
  readonly version: number;
  readonly reason: ReportReason;
  readonly text: string;
  readonly contact: string | null;
  readonly created_at: number;
  /** Number among the drop's open reports, below the cap and unique; absent once closed. */
  readonly place?: number;
  /** null while open. */
  readonly closed_at: number | null;
}

/** Each lost attempt means that a parallel report took the place, so a few are enough in practice. */
const attempts = 100;

const isOpen = { closed_at: null };
/** Some servers use an index for the order only if a condition names its first field. */
const isAny = { created_at: { $gte: 0 } };
const hasPlace = { place: { $exists: true } };
const newestFirst = { created_at: -1, _id: 1 } as const;

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

  /** false: the id or the place is taken. */
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
      throw unavailable('Too many parallel reports of this page.');
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

    async listPages(limit) {
      const [found] = await reports.aggregate<PagesDocument>([
        { $match: isOpen },
        {
          $group: {
            _id: { slug: '$slug', reason: '$reason' },
            count: { $sum: 1 },
            first: { $min: '$created_at' },
            newest: { $max: '$created_at' },
          },
        },
        {
          $group: {
            _id: '$_id.slug',
            open: { $sum: '$count' },
            first: { $min: '$first' },
            newest: { $max: '$newest' },
            reasons: { $push: { reason: '$_id.reason', count: '$count' } },
          },
        },
        {
          $facet: {
            pages: [{ $sort: { open: -1, newest: -1, _id: 1 } }, { $limit: limit }],
            total: [{ $count: 'pages' }],
          },
        },
      ]);
      const pages = (found?.pages ?? []).map(toPage);
      return { pages, others: (found?.total[0]?.pages ?? 0) - pages.length };
    },

    async close(id, now) {
      const { matchedCount } = await reports.updateOne({ _id: id, ...isOpen }, closing(now));
      return matchedCount > 0;
    },

    async closeByPage(slug, now) {
      return (await reports.updateMany({ slug, ...isOpen }, closing(now))).modifiedCount;
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
    ...(before !== null && after(before)),
  };
}

function indexFor({ withClosed, slug }: ReportQuery): string {
  if (slug === null) return withClosed ? 'reports_created' : 'reports_state';
  return withClosed ? 'reports_page' : 'reports_open_page';
}

/** The first condition finds the position in the index; the second skips reports of the same time. */
function after({ createdAt, id }: Pick<Report, 'id' | 'createdAt'>) {
  return {
    created_at: { $lte: createdAt },
    $or: [{ created_at: { $lt: createdAt } }, { _id: { $gt: id } }],
  };
}

function toDocument({ id, dropId, createdAt, ...rest }: NewReport, place: number): ReportDocument {
  return { _id: id, drop_id: dropId, created_at: createdAt, ...rest, place, closed_at: null };
}

export function toReport({ _id, drop_id, created_at, place, closed_at, ...rest }: ReportDocument): Report {
  return { id: _id, dropId: drop_id, createdAt: created_at, closedAt: closed_at, ...rest };
}

interface PagesDocument {
  readonly pages: readonly {
    readonly _id: string;
    readonly open: number;
    readonly first: number;
    readonly newest: number;
    readonly reasons: readonly { readonly reason: ReportReason; readonly count: number }[];
  }[];
  readonly total: readonly { readonly pages: number }[];
}

function toPage({ _id, reasons, ...page }: PagesDocument['pages'][number]): ReportedPage {
  const sorted = [...reasons].sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
  return { slug: _id, ...page, reasons: sorted.map(({ reason, count }) => [reason, count] as const) };
}
