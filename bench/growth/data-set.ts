import type { ArchivedDrop } from '../../shared/domain/archive.ts';
import { type Document, htmlMediaType, type Lock, type OwnedVersion } from '../../shared/domain/drop.ts';
import { newId, newSlug } from '../../shared/domain/ids.ts';
import { makePage } from '../load.ts';

/** The default of DROPS_PER_ACCOUNT. */
export const cap = 500;

/** An account to fill. */
export interface AccountPlan {
  readonly name: string;
  readonly drops: number;
}

/** A drop with the documents of its versions. */
export interface FilledDrop {
  readonly record: ArchivedDrop;
  /** By the ids of the versions. */
  readonly documents: ReadonlyMap<string, Document>;
}

/** The account that writes: it has a few places left below its cap. */
export const writerName = 'writer';
const writerDrops = cap - 50;

/** The account with many drops; the smallest size has none, because it would be most of it. */
export const largeName = 'large';
const largeDrops = 20_000;

/** Accounts with `size` drops in all, and the large one. */
export function planAccounts(size: number): AccountPlan[] {
  const plans: AccountPlan[] = [{ name: writerName, drops: writerDrops }];
  let left = size - writerDrops;
  for (let n = 1; left > 0; n++) {
    plans.push({ name: `account-${n}`, drops: Math.min(cap, left) });
    left -= cap;
  }
  return size < largeDrops ? plans : [...plans, { name: largeName, drops: largeDrops }];
}

const day = 86_400_000;
const words = ['weekly', 'report', 'sales', 'draft', 'budget', 'team', 'north', 'review', 'plan', 'notes'];

/**
 * Drops of an account, all different: 1 to 5 versions of 1 to 3 KB, a tenth with contexts, three tags, one in twenty locked,
 * one in fifty with a time of expiry, a third with views.
 * @param random from 0 to 1
 * @param lock what locked drops share: a hash takes 20 ms
 */
export function* makeDrops(
  ownerId: string,
  { drops }: AccountPlan,
  { random, lock, now }: { random: () => number; lock: Lock; now: number },
): Generator<FilledDrop> {
  const pick = <T>(items: readonly T[], fallback: T): T =>
    items[Math.floor(random() * items.length)] ?? fallback;
  for (let n = 0; n < drops; n++) {
    const createdAt = now - Math.floor((1 + random() * 300) * day);
    const documents = new Map<string, Document>();
    const versions = Array.from({ length: random() < 0.3 ? 2 + Math.floor(random() * 4) : 1 }, (_, i) => {
      const document = makeDocument(random);
      const version = describe(document, i + 1, createdAt + i * 60_000);
      documents.set(version.id, document);
      return version;
    });
    const days = random() < 0.33 ? daysOf(now, random) : [];
    const record: ArchivedDrop = {
      id: newId(createdAt),
      ownerId,
      slug: newSlug(),
      title: `${pick(words, '')} ${pick(words, '')} ${n}`,
      description: random() < 0.5 ? `What the ${pick(words, '')} of page ${n} shows` : null,
      metadata: [
        ['team', `team ${n % 7}`],
        ['kind', pick(['report', 'plan', 'notes'], '')],
        ['number', String(n)],
      ],
      lock: random() < 0.05 ? lock : null,
      expiresAt: random() < 0.02 ? now + 365 * day : null,
      takedown: null,
      viewCount: days.reduce((sum, [, views]) => sum + views, 0),
      rev: versions.length,
      createdAt,
      updatedAt: versions.at(-1)?.createdAt ?? createdAt,
      versions,
      days,
    };
    yield { record, documents };
  }
}

function makeDocument(random: () => number): Document {
  return {
    html: Buffer.from(makePage(1_000 + Math.floor(random() * 2_000))),
    context: random() < 0.1 ? Buffer.from('The numbers come from the warehouse of last night.') : null,
  };
}

function describe({ html, context }: Document, number: number, createdAt: number): OwnedVersion {
  return {
    ...{ id: newId(createdAt), number, createdAt, mediaType: htmlMediaType },
    ...{ sizeBytes: html.byteLength, hasContext: context !== null },
    publishedBy: { kind: 'token', id: 'f00dfeedbeef', label: 'bench' },
  };
}

/** Views of two of the last 30 days, ascending. */
function daysOf(now: number, random: () => number): [string, number][] {
  return [1, 0].map((n) => {
    const at = new Date(now - (n * 15 + Math.floor(random() * 15)) * day);
    return [at.toISOString().slice(0, 10), 1 + Math.floor(random() * 100)];
  });
}
