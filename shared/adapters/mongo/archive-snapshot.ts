import type { Connection, mongo } from 'mongoose';
import {
  type ArchivedDrop,
  type ArchivedSecret,
  type ArchiveKind,
  type ArchiveRecord,
  secretNames,
  toArchivedDrop,
} from '../../domain/archive.ts';
import { idAt } from '../../domain/ids.ts';
import type { auditRecord } from '../../domain/moderation.ts';
import type { reportRecord } from '../../domain/report.ts';
import type { tokenRecord } from '../../domain/token.ts';
import type { ArchiveSnapshot } from '../../ports/archive-store.ts';
import type { SecretStore } from '../../ports/secret-store.ts';
import type { AccountDocument } from './account-store.ts';
import { type KeyDocument, toArchivedAccount, toArchivedKey } from './archive-documents.ts';
import { auditCollection } from './audit-log.ts';
import type { DocumentOf } from './collection.ts';
import { type DropDocument, type Filter, hasExpired, toDrop } from './drop-schema.ts';
import { patiently } from './patience.ts';
import { toRecord as toReport } from './report-store.ts';
import { tokenCollection } from './token-store.ts';
import { toOwnedVersion } from './version-document.ts';
import type { DayViewsDocument } from './view-totals.ts';

const recordsPerBatch = 1_000;
/** With up to 200 versions each. */
const dropsPerBatch = 100;

/** More than the clocks of two processes differ. */
const clockSkewMs = 10 * 60_000;

type Identified = { readonly _id: string };

type Reads = { readonly [K in ArchiveKind]: () => AsyncIterable<readonly ArchiveRecord<K>[]> };

/** @param now Unix ms: drops that have expired by then are left out */
export function createMongoSnapshot(
  connection: Connection,
  { secrets: secretStore, readBlob }: Pick<ArchiveSnapshot, 'readBlob'> & { readonly secrets: SecretStore },
  now: number,
): ArchiveSnapshot {
  const drops = connection.collection<Identified>('drops');
  const dayViews = connection.collection<DayViewsDocument>('day_views');
  const readAccounts = createReadAccounts(connection, now);
  const liveDrop = { deleted_at: null, $nor: [hasExpired(now)] };

  const reads: Reads = {
    secrets: () => readSecrets(secretStore),

    accounts: () =>
      readAll('accounts', { deleted_at: null }, async (found: readonly AccountDocument[]) => {
        readAccounts.note(found.map(({ _id }) => _id));
        return found.map(toArchivedAccount);
      }),

    tokens: () =>
      readAll('tokens', {}, async (found: readonly DocumentOf<typeof tokenRecord>[]) =>
        (await readAccounts.filter(found, ({ account_id }) => account_id)).map(tokenCollection.toRecord),
      ),

    'idempotency-keys': () =>
      readAll('idempotency_keys', { is_done: true }, async (found: readonly KeyDocument[]) =>
        (await readAccounts.filter(found, ({ account_id }) => account_id)).map(toArchivedKey),
      ),

    drops: () => readAll('drops', liveDrop, toArchivedDrops, dropsPerBatch),

    reports: () =>
      readAll('reports', {}, async (found: readonly DocumentOf<typeof reportRecord>[]) =>
        found.map(toReport),
      ),

    'audit-log': () =>
      readAll('audit_log', {}, async (found: readonly DocumentOf<typeof auditRecord>[]) =>
        found.map(auditCollection.toRecord),
      ),
  };

  /** All documents that match, ascending by id. Each batch is a query of its own, so that it can be repeated. */
  async function* readAll<D extends Identified, T>(
    name: string,
    filter: Filter,
    toRecords: (found: readonly D[]) => Promise<T[]>,
    limit = recordsPerBatch,
  ): AsyncGenerator<readonly T[]> {
    let after: string | undefined = '';
    while (after !== undefined) {
      const range: mongo.Filter<Identified> = { ...filter, _id: { $gt: after } };
      const options = { sort: { _id: 1 }, limit, batchSize: limit + 1, hint: '_id_' } as const;
      const { found, records } = await patiently(async () => {
        const found = await connection.collection<Identified>(name).find<D>(range, options).toArray();
        return { found, records: await toRecords(found) };
      });
      if (records.length > 0) yield records;
      after = found.at(-1)?._id;
    }
  }

  /** @param found ascending by id */
  async function toArchivedDrops(found: readonly DropDocument[]): Promise<ArchivedDrop[]> {
    const kept = await readAccounts.filter(found, ({ owner }) => owner);
    const days = await listDays(kept);
    return kept.map((document) =>
      toArchivedDrop(toDrop(document), {
        lock: document.lock === null ? null : { id: document.lock.id, hash: document.lock.hash },
        versions: document.versions.map(toOwnedVersion),
        days: days.get(document._id) ?? [],
      }),
    );
  }

  /** Days by drop. The days of neighbouring drops are one range of ids. */
  async function listDays(among: readonly DropDocument[]): Promise<Map<string, [string, number][]>> {
    const [first, last] = [among[0], among.at(-1)];
    const byDrop = new Map<string, [string, number][]>();
    if (first === undefined || last === undefined) return byDrop;
    const found = await dayViews
      .find({ _id: { $gte: `${first._id}/`, $lt: `${last._id}0` } }) // `0` is the character after `/`
      .sort({ _id: 1 })
      .batchSize(10_000)
      .toArray();
    for (const { _id, count } of found) {
      const [dropId = '', day = ''] = _id.split('/');
      const days = byDrop.get(dropId) ?? [];
      days.push([day, count]);
      byDrop.set(dropId, days);
    }
    return byDrop;
  }

  return {
    read: (kind) => reads[kind](),

    readDropAgain: (id) =>
      patiently(async () => {
        const found = await drops.find<DropDocument>({ _id: id, ...liveDrop }).toArray();
        return (await toArchivedDrops(found))[0] ?? null;
      }),

    readBlob,

    close: async () => undefined,
  };
}

async function* readSecrets(secrets: SecretStore): AsyncGenerator<readonly ArchivedSecret[]> {
  for (const name of secretNames) {
    const value = await patiently(() => secrets.find(name));
    if (value !== null) yield [{ name, value }];
  }
}

/**
 * The accounts of the snapshot, so that nothing is in it whose account is not. An account that is live now was read if it
 * is old; of young ones, which may have been created since, the ids are remembered.
 */
function createReadAccounts(connection: Connection, now: number) {
  const accounts = connection.collection<Identified>('accounts');
  const youngFrom = idAt(now - clockSkewMs);
  const young = new Set<string>();

  return {
    note(ids: readonly string[]): void {
      for (const id of ids) if (id >= youngFrom) young.add(id);
    },

    async filter<D>(found: readonly D[], accountOf: (document: D) => string): Promise<D[]> {
      const ids = [...new Set(found.map(accountOf))].filter((id) => id < youngFrom || young.has(id));
      if (ids.length === 0) return [];
      const live = await accounts
        .find<Identified>({ _id: { $in: ids }, deleted_at: null }, { projection: { _id: 1 } })
        .batchSize(ids.length + 1)
        .toArray();
      const kept = new Set(live.map(({ _id }) => _id));
      return found.filter((document) => kept.has(accountOf(document)));
    },
  };
}
