import type { ArchivedAccount, ArchivedDrop, ArchivedKey } from '../../domain/archive.ts';
import type { AuditEntry } from '../../domain/moderation.ts';
import type { Report } from '../../domain/report.ts';
import { type AccountDocument, toAccount } from './account-store.ts';
import type { AuditDocument } from './audit-log.ts';
import { type DropDocument, liveDropDocument } from './drop-schema.ts';
import { type IdempotencyDocument, idempotencyDocument } from './idempotency-store.ts';
import type { ReportDocument } from './report-store.ts';
import { versionDocument } from './version-document.ts';
import type { DayViewsDocument } from './view-totals.ts';

export function toArchivedAccount(found: AccountDocument): ArchivedAccount {
  const { day, day_count: count } = found;
  return { ...toAccount(found), dayWrites: day === '' ? null : { day, count } };
}

export function toArchivedKey(found: IdempotencyDocument): ArchivedKey {
  const { account_id: accountId, key, hash, slug, created_at: createdAt } = found;
  return { accountId, key, hash, dropId: found.drop_id, slug, versionId: found.version_id, createdAt };
}

export function accountDocument({ identity, ...account }: ArchivedAccount): AccountDocument {
  const { day, count } = account.dayWrites ?? { day: '', count: 0 };
  return {
    _id: account.id,
    provider: identity.provider,
    subject: identity.subject,
    name: identity.name,
    created_at: account.createdAt,
    day,
    day_count: count,
    ...(account.suspendedAt !== null && { suspended_at: account.suspendedAt }),
  };
}

export function keyDocument(key: ArchivedKey): IdempotencyDocument {
  return idempotencyDocument({ ...key, lease: '', leasedUntil: 0, isDone: true });
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
export function archivedReportDocument(report: Report, takePlace: () => number): ReportDocument {
  const { id, dropId, createdAt, closedAt, ...rest } = report;
  const document = { _id: id, drop_id: dropId, ...rest, created_at: createdAt, closed_at: closedAt };
  return closedAt === null ? { ...document, place: takePlace() } : document;
}

export function auditDocument({ id, endedAt, ...entry }: AuditEntry): AuditDocument {
  return { _id: id, ...entry, ended_at: endedAt };
}
