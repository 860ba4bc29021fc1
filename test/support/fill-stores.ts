import { createHash } from 'node:crypto';
import { newId } from '../../shared/domain/ids.ts';
import type { Engine } from '../../shared/engines/engine.ts';
import { inChunks } from '../../shared/util/promises.ts';
import {
  aComment,
  aDrop,
  anAccessRequest,
  anIdempotencyRecord,
  aReport,
  aToken,
  at,
  aVersion,
  insertComment,
} from '../contract/records.ts';

/** A drop of an account has a place below this. */
const dropsPerAccount = 50;
const cap = 1_000;
const atOnce = 20;

export type FilledStores = Pick<
  Engine,
  | 'accounts'
  | 'identities'
  | 'tokens'
  | 'drops'
  | 'idempotency'
  | 'comments'
  | 'accessRequests'
  | 'reports'
  | 'auditLog'
  | 'moderation'
  | 'views'
>;

interface FillOptions {
  readonly drops: number;
  readonly documentBytes?: number;
  readonly now: number;
}

/** Fills empty stores with records of every kind: the same for the same number. */
export async function fillStores(
  stores: FilledStores,
  { drops: count, documentBytes = 300, now }: FillOptions,
): Promise<void> {
  const owners: string[] = [];
  for (let n = 0; n * dropsPerAccount < count; n++) owners.push(await addOwner(stores, n, now));
  const numbers = Array.from({ length: count }, (_, n) => n);
  await inChunks(numbers, atOnce, (n) =>
    addDrop(stores, { n, ownerId: owners[Math.floor(n / dropsPerAccount)] ?? '', documentBytes, now }),
  );
}

async function addOwner(
  { accounts, identities, tokens }: FilledStores,
  n: number,
  now: number,
): Promise<string> {
  const name = `owner-${n}`;
  const { id } = await accounts.findOrCreate({ provider: 'local', subject: name, name }, newId(now), now);
  if (n % 2 === 0)
    await identities.claim({
      provider: 'oidc:https://login.example',
      subject: name,
      accountId: id,
      name,
      email: `${name}@example.org`,
      groups: ['/staff', `$${n}`],
      refreshToken: null,
      checkedAt: now,
      createdAt: now,
    });
  for (const label of ['laptop', null]) await tokens.insert(aToken({ accountId: id, label, createdAt: now }));
  if (n % 10 === 9) await accounts.setSuspended(id, now);
  if (n % 3 === 1) await accounts.noteCommentsSeen(id, now);
  if (n % 4 === 1) await accounts.setDefaultAccess(id, 'members');
  return id;
}

interface DropPlan {
  readonly n: number;
  readonly ownerId: string;
  readonly documentBytes: number;
  readonly now: number;
}

async function addDrop(stores: FilledStores, { n, ownerId, documentBytes, now }: DropPlan): Promise<void> {
  const { drops, idempotency, comments, accessRequests, reports, moderation, auditLog, views } = stores;
  const version = (number: number) =>
    aVersion({
      id: newId(now),
      createdAt: now + number,
      html: makeDocument(`${n} ${number}`, documentBytes),
      context: (n + number) % 3 === 0 ? Buffer.from(`# Why\n\nBecause of ${n}.\n`) : null,
    });
  const drop = aDrop({
    id: newId(now),
    slug: `drop-${n}`,
    ownerId,
    title: `Title ${n} \u{1f343}`,
    description: n % 2 === 0 ? `About ${n}` : null,
    metadata: new Map([
      ['z.project', `p${n % 7}`],
      ['__proto__', `${n}`],
    ]),
    lock: n % 10 === 3 ? { id: newId(now), hash: '$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA' } : null,
    comments: (['owner', 'members', 'anyone'] as const)[n % 3] ?? 'owner',
    expiresAt: n % 20 === 5 ? now + 10 * 365 * 86_400_000 : null,
    version: { ...version(1), quota: { accountId: ownerId, day: '2026-01-31', limit: cap } },
  });
  await drops.create(drop, cap, ['render']);
  for (let number = 2; number <= 1 + (n % 4); number++) {
    await drops.addVersion(at(drop.slug, ownerId), version(number), {}, cap, ['render', 'purge']);
  }
  const days = ['2026-01-30', '2026-01-31'].map((day, d) => ({ dropId: drop.id, day, count: n + d + 1 }));
  if (n % 3 === 0) await views.add(`writer-${n}`, 1, days);
  const about = { dropId: drop.id, slug: drop.slug };
  const versionId = drop.version.id;
  const author = { ...aComment().author, role: 'guest', accountId: null, guest: sha256(`${n}`) } as const;
  for (const changes of n % 2 === 0
    ? [{}, { author, state: 'held', anchor: null, replies: [] } as const]
    : []) {
    const comment = aComment({ ...about, id: newId(now), ownerId, versionId, ...changes });
    await insertComment(comments, comment, now);
  }
  if (n % 6 === 0) {
    const request = anAccessRequest({ ...about, ownerId, accountId: newId(now), createdAt: now });
    await accessRequests.insert(request, cap);
    if (n % 12 === 0) await accessRequests.decline(request, now);
  }
  if (n % 5 === 0) await reports.insert(aReport({ ...about, version: 1 }), cap, 100_000);
  if (n % 4 === 0) {
    const key = anIdempotencyRecord({
      accountId: ownerId,
      key: sha256(`key ${n}`),
      hash: sha256(`request ${n}`),
      createdAt: now,
      dropId: drop.id,
      slug: drop.slug,
      versionId: drop.version.id,
    });
    await idempotency.insert({ ...key, isDone: true });
  }
  if (n % 25 === 7) {
    const id = newId(now);
    const act = { id, at: now, by: 'root', act: 'takedown', target: drop.slug, reason: 'spam' } as const;
    await auditLog.begin(act);
    await moderation.takeDown(drop.slug, { at: now, reason: 'spam' }, ['purge']);
    await auditLog.end(id, 'taken down', now);
  }
}

function makeDocument(seed: string, bytes: number): Uint8Array {
  const lines: string[] = [`<!doctype html><title>${seed}</title>`];
  for (let n = 0; n * 64 < bytes; n++) lines.push(sha256(`${seed} ${n}`));
  return Buffer.from(lines.join('\n'));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
