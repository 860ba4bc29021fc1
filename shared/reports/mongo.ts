import type { Connection } from 'mongoose';
import { unavailable } from '../domain/errors.ts';
import { orAbsent, type RecordOf, record, whole } from '../domain/record.ts';
import { collectionOf } from '../mongo/collection.ts';
import { pickPlace } from '../util/random-picks.ts';
import { type Report, type ReportedPage, type ReportReason, reportRecord } from './report.ts';
import type { NewReport, ReportQuery, ReportStore } from './report-store.ts';

/** Each lost attempt means that a parallel report took the place, so a few are enough in practice. */
const attempts = 100;

const isOpen = { closed_at: null };
/** Some servers use an index for the order only if a condition names its first field. */
const isAny = { created_at: { $gte: 0 } };
const hasPlace = { place: { $exists: true } };
const newestFirst = { created_at: -1, _id: 1 } as const;

/** `place` is a number among the drop's open reports, below the cap and unique; absent once closed. */
const placedReport = record('reports', { ...reportRecord.fields, place: orAbsent(whole()) });

const placedReports = collectionOf(
  placedReport,
  ['reports_place', { drop_id: 1, place: 1 }, { unique: true, partialFilterExpression: hasPlace }],
  ['reports_created', newestFirst],
  ['reports_state', { closed_at: 1, ...newestFirst }],
  ['reports_page', { slug: 1, ...newestFirst }],
  ['reports_open_page', { closed_at: 1, slug: 1, ...newestFirst }],
);

/** Reports, whose places keep parallel ones below the cap of a drop. `mongo/stores.ts` sets the time limits of the calls. */
export class MongoReports implements ReportStore {
  readonly #reports;

  constructor(connection: Connection) {
    this.#reports = placedReports.in(connection);
  }

  async insert(
    report: NewReport,
    cap: number,
    capOfAll: number,
  ): Promise<'inserted' | 'known' | 'full' | 'all_full'> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if ((await this.#reports.model.exists({ _id: report.id })) !== null) return 'known';
      const place = await this.#drawPlace(report.dropId, cap);
      if (place === null) return 'full';
      if ((await this.countOpen(capOfAll)) >= capOfAll) return 'all_full';
      const placed = { ...report, closedAt: null, place };
      if (await this.#reports.insertUnlessTaken(placed, '_id_', 'reports_place')) return 'inserted';
    }
    throw unavailable('Too many parallel reports of this page.');
  }

  countOpen(atMost: number): Promise<number> {
    return this.#reports.model.countDocuments(isOpen, { limit: atMost, hint: 'reports_state' });
  }

  async find(id: string): Promise<Report | null> {
    const found = await this.#reports.find({ _id: id });
    return found === null ? null : withoutPlace(found);
  }

  async list(query: ReportQuery): Promise<Report[]> {
    const options = { sort: newestFirst, limit: query.limit, hint: indexFor(query) };
    const found = await this.#reports.list(matching(query), options);
    return found.map(withoutPlace);
  }

  async listPages(limit: number): Promise<{ pages: ReportedPage[]; others: number }> {
    const [found] = await this.#reports.model.aggregate<PagesDocument>([
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
  }

  close(id: string, now: number): Promise<boolean> {
    return this.#reports.update({ _id: id, ...isOpen }, closing(now));
  }

  closeByPage(slug: string, now: number): Promise<number> {
    return this.#reports.updateAll({ slug, ...isOpen }, closing(now));
  }

  removeClosedBefore(before: number): Promise<void> {
    return this.#reports.removeBefore('closed_at', before);
  }

  /** A free place among the drop's open reports. null: there is none. */
  async #drawPlace(dropId: string, cap: number): Promise<number | null> {
    const taken = await this.#reports.model
      .find({ drop_id: dropId, ...hasPlace }, { _id: 0, place: 1 })
      .lean();
    const places = taken.map(({ place }) => place).filter((place) => place !== null);
    return pickPlace(places, cap);
  }
}

function withoutPlace({ place: _, ...report }: RecordOf<typeof placedReport>): Report {
  return report;
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
