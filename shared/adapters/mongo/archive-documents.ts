import { toAccount } from '../../domain/account.ts';
import type { ArchivedAccount, ArchivedDrop, ArchivedKey } from '../../domain/archive.ts';
import type { Report } from '../../domain/report.ts';
import type { idempotencyRecord } from '../../ports/idempotency-store.ts';
import { type AccountDocument, accountCollection } from './account-store.ts';
import type { DocumentOf } from './collection.ts';
import { type DropDocument, liveDropDocument } from './drop-schema.ts';
import { idempotencyCollection } from './idempotency-store.ts';
import { placedReports } from './report-store.ts';
import { versionDocument } from './version-document.ts';
import type { DayViewsDocument } from './view-totals.ts';

export type KeyDocument = DocumentOf<typeof idempotencyRecord>;

export function toArchivedAccount(found: AccountDocument): ArchivedAccount {
  const stored = accountCollection.toRecord(found);
  const { day, dayCount: count } = stored;
  return { ...toAccount(stored), dayWrites: day === '' ? null : { day, count } };
}

export function toArchivedKey(found: KeyDocument): ArchivedKey {
  const { lease: _, leasedUntil: __, isDone: ___, ...key } = idempotencyCollection.toRecord(found);
  return key;
}

export function accountDocument({ identity, dayWrites, ...account }: ArchivedAccount): AccountDocument {
  const { day, count: dayCount } = dayWrites ?? { day: '', count: 0 };
  return accountCollection.toDocument({ ...account, ...identity, day, dayCount, deletedAt: null });
}

export function keyDocument(key: ArchivedKey): KeyDocument {
  return idempotencyCollection.toDocument({ ...key, lease: '', leasedUntil: 0, isDone: true });
}

/** @param place that no other live drop of the owner has */
export function archivedDropDocument(drop: ArchivedDrop, place: number): DropDocument {
  const { takedown } = drop;
  const versions = drop.versions.map((version) => ({ ...versionDocument(version), number: version.number }));
  return {
    ...liveDropDocument({ ...drop, metadata: new Map(drop.metadata) }, versions, place, []),
    ...(takedown !== null && { taken_down_at: takedown.at, takedown_reason: takedown.reason }),
  };
}

export function dayDocuments({ id, days }: ArchivedDrop): DayViewsDocument[] {
  return days.map(([day, count]) => ({ _id: `${id}/${day}`, count, views_batch: 0 }));
}

/** @param takePlace a number that no other open report of the drop has: a closed one needs none */
export function archivedReportDocument(report: Report, takePlace: () => number) {
  return placedReports.toDocument({ ...report, place: report.closedAt === null ? takePlace() : null });
}
