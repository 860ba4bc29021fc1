import { columnOf, record } from '../domain/record.ts';
import type { Database, Statement, Value } from '../sqlite/database.ts';
import { columnsOf, insertSql, type Row } from '../sqlite/table.ts';
import { accessLock, type Lock, passcodeLock, storedLock } from './access.ts';
import {
  type Details,
  type Drop,
  detailRecord,
  dropRecord,
  type Metadata,
  type OwnedVersion,
  ownedVersionRecord,
  type Page,
  type PendingTask,
  type Publisher,
  pageRecord,
  type Version,
  versionRecord,
} from './drop.ts';
import { foldTexts } from './search.ts';

const drop = columnsOf(dropRecord);
const details = columnsOf(detailRecord);
const page = columnsOf(pageRecord);
const version = columnsOf(ownedVersionRecord);
/** The first columns of `version`. */
const pageVersion = columnsOf(versionRecord);
const { number: _, ...headFields } = versionRecord.fields;
const headRecord = record('drop_versions', headFields, []);
/** A copy of the latest version in the row of its drop. */
const head = columnsOf(headRecord, (name) => `head_${columnOf(name)}`);

export const dropColumns = `metadata, lock_id, taken_down_at, takedown_reason, ${drop.names}`;

export type DropRow = [
  metadata: string,
  lockId: string | null,
  takenDownAt: number | null,
  takedownReason: string | null,
  ...fields: Row,
];

export function toDrop(row: DropRow): Drop {
  const [metadata, lockId, at, reason] = row;
  const takedown = at === null || reason === null ? null : { at, reason };
  const locked = lockId !== null && lockId !== accessLock.id;
  return drop.read(row, { metadata: readMetadata(metadata), locked, takedown }, 4);
}

export function toDropOrNull(row: DropRow | undefined): Drop | null {
  return row === undefined ? null : toDrop(row);
}

/** SQL: whether the drop is neither deleted nor expired. @param now the parameter with the time */
export function isLive(now: '?' | '$now'): string {
  return `deleted_at IS NULL AND (expires_at <= ${now}) IS NOT TRUE`;
}

export const pageColumns = `id, lock_id, lock_hash, taken_down_at, ${page.names}, ${head.names}`;

export type PageRow = [
  dropId: string,
  lockId: string | null,
  lockHash: string | null,
  takenDownAt: number | null,
  ...fields: Row,
];

/** The page with its latest version. */
export function toPage(row: PageRow): PageWithLatest {
  const [dropId, id, hash, takenDownAt] = row;
  const lock = id === null || hash === null ? null : passcodeLock({ id, hash });
  const found = page.read(row, { dropId, lock, isTakenDown: takenDownAt !== null }, 4);
  const latest = head.read(row, { number: found.latestVersion }, 4 + page.names.length);
  return Object.assign(found, { version: latest });
}

type PageWithLatest = Page & { readonly version: Version };

export const versionColumns = `publisher_kind, publisher_id, publisher_label, ${version.names}`;

export type VersionRow = [
  kind: Publisher['kind'] | null,
  publisherId: string | null,
  label: string | null,
  ...fields: Row,
];

export function toVersion(row: VersionRow): Version {
  return pageVersion.read(row, {}, 3);
}

export function toOwnedVersion(row: VersionRow): OwnedVersion {
  const [kind, id, label] = row;
  return version.read(row, { publishedBy: kind === null || id === null ? null : { kind, id, label } }, 3);
}

/** Makes the version with the highest number of the drop `$id` its head. */
export const updateHeadSql = `
  UPDATE drops SET (latest_version, ${head.names}) = (
    SELECT number, ${columnsOf(headRecord).names} FROM drop_versions WHERE drop_id = $id ORDER BY number DESC LIMIT 1)
  WHERE id = $id`;

/** What the row of a new drop has beside its `Drop`. */
export interface NewRow {
  readonly folded: string;
  readonly lock: Lock | null;
  /** That no other live drop of the owner has. */
  readonly place: number;
  readonly head: Version;
  readonly tasks: readonly PendingTask[];
}

const dropNames = [
  'metadata',
  'folded',
  'lock_id',
  'lock_hash',
  'taken_down_at',
  'takedown_reason',
  'place',
  'changed_at',
  'owed_render',
  'owed_purge',
  ...drop.names,
  ...head.names,
];

const versionNames = [
  'drop_id',
  'owner_id',
  'publisher_kind',
  'publisher_id',
  'publisher_label',
  ...version.names,
];

/** Inserts of drops and their versions, to be called inside a write of the database. */
export class SqliteDropInserts {
  readonly #drop: Statement;
  readonly #version: Statement;

  /** @param unless the column whose conflict means that the drop is not stored */
  constructor(db: Pick<Database, 'prepare'>, unless: 'id' | 'slug') {
    // Without RETURNING, which takes longer than the rest (docs/performance.md).
    this.#drop = db.prepare(`${insertSql('drops', dropNames)} ON CONFLICT (${unless}) DO NOTHING`);
    this.#version = db.prepare(insertSql('drop_versions', versionNames));
  }

  /** false: it was not stored. */
  insertDrop(stored: Drop, { folded, lock, place, head: latest, tasks }: NewRow): boolean {
    const { metadata, takedown, updatedAt, access } = stored;
    const kept = storedLock(lock, access);
    const { render, purge } = taskValues(tasks);
    const values: Value[] = [
      writeMetadata(metadata),
      folded,
      kept?.id ?? null,
      kept?.hash ?? null,
      takedown?.at ?? null,
      takedown?.reason ?? null,
      place,
      updatedAt,
      render,
      purge,
    ];
    return this.#drop.run(...values, ...drop.valuesOf(stored), ...head.valuesOf(latest)).changes > 0;
  }

  insertVersion({ id, ownerId }: Pick<Drop, 'id' | 'ownerId'>, added: OwnedVersion): void {
    const { kind = null, id: publisherId = null, label = null } = added.publishedBy ?? {};
    this.#version.run(id, ownerId, kind, publisherId, label, ...version.valuesOf(added));
  }
}

/** The columns of `detailValues`. */
export const detailNames = ['metadata', 'folded', ...details.names];

export function detailValues(stored: Details): Record<string, Value> {
  const values = [writeMetadata(stored.metadata), foldTexts(stored), ...details.valuesOf(stored)];
  return Object.fromEntries(values.map((value, n) => [detailNames[n], value]));
}

/** SQL: the assignments of every visible change; their values are `$now` and `taskValues`. */
export const changed = `
  changed_at = $now, rev = rev + 1,
  owed_render = owed_render OR $render, owed_purge = owed_purge OR $purge`;

/** SQL: the assignments that follow a change of `$access` (`storedLock`). */
export const lockFollowsAccess = `
  lock_id = CASE WHEN $access = 'link' THEN nullif(lock_id, '${accessLock.id}') ELSE coalesce(lock_id, '${accessLock.id}') END,
  lock_hash = CASE WHEN $access = 'link' THEN iif(lock_id = '${accessLock.id}', NULL, lock_hash)
    ELSE coalesce(lock_hash, '${accessLock.hash}') END`;

/** SQL: the lock `$lockId`, `$lockHash`, or what a drop without a passcode has. */
export const lockWithAccess = `
  lock_id = coalesce($lockId, iif(access = 'link', NULL, '${accessLock.id}')),
  lock_hash = coalesce($lockHash, iif(access = 'link', NULL, '${accessLock.hash}'))`;

export function taskValues(tasks: readonly PendingTask[]) {
  return { render: Number(tasks.includes('render')), purge: Number(tasks.includes('purge')) };
}

/** Pairs, because an object would put `7` before `b` and cannot have the key `__proto__`. */
function writeMetadata(metadata: Metadata): string {
  return JSON.stringify([...metadata]);
}

export function readMetadata(text: string): Metadata {
  const pairs: [string, string][] = text === '[]' ? [] : JSON.parse(text);
  return new Map(pairs);
}

/** The rows by which lists are filtered, one for each pair of a live drop's metadata. */
export class SqlitePairs {
  readonly #insert: Statement;
  readonly #remove: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO drop_metadata (owner_id, key, value, drop_id) VALUES (?, ?, ?, ?)',
    );
    this.#remove = db.prepare(
      'DELETE FROM drop_metadata WHERE owner_id = ? AND key = ? AND value = ? AND drop_id = ?',
    );
  }

  /** To be called inside a write of the database. */
  replace({ id, ownerId }: Pick<Drop, 'id' | 'ownerId'>, from: Metadata, to: Metadata): void {
    for (const [key, value] of from) if (to.get(key) !== value) this.#remove.run(ownerId, key, value, id);
    for (const [key, value] of to) if (from.get(key) !== value) this.#insert.run(ownerId, key, value, id);
  }
}
