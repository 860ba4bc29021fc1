import type { Lock, NewDrop, NewVersion } from '../../shared/domain/drop.ts';
import { htmlMediaType } from '../../shared/domain/drop.ts';
import { newId, newSlug } from '../../shared/domain/ids.ts';
import { makePage } from '../load.ts';

/** The default of DROPS_PER_ACCOUNT. */
export const cap = 500;

/** An account to fill. */
export interface AccountPlan {
  readonly name: string;
  readonly drops: number;
}

/** A drop as its owner has left it. */
export interface FilledDrop {
  readonly drop: NewDrop;
  /** Below the cap of drops. */
  readonly place: number;
  /** After the first one, oldest first. */
  readonly later: readonly NewVersion[];
  /** By UTC day. */
  readonly views: ReadonlyMap<string, number>;
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
  const makeVersion = (createdAt: number): NewVersion => ({
    id: newId(createdAt),
    html: Buffer.from(makePage(1_000 + Math.floor(random() * 2_000))),
    context: random() < 0.1 ? Buffer.from('The numbers come from the warehouse of last night.') : null,
    mediaType: htmlMediaType,
    createdAt,
    publishedBy: { kind: 'token', id: 'f00dfeedbeef', label: 'bench' },
  });
  for (let n = 0; n < drops; n++) {
    const createdAt = now - Math.floor((1 + random() * 300) * day);
    const laterCount = random() < 0.3 ? 1 + Math.floor(random() * 4) : 0;
    const later = Array.from({ length: laterCount }, (_, i) => makeVersion(createdAt + (i + 1) * 60_000));
    const hasViews = random() < 0.33;
    const drop: NewDrop = {
      id: newId(createdAt),
      ownerId,
      slug: newSlug(),
      title: `${pick(words, '')} ${pick(words, '')} ${n}`,
      description: random() < 0.5 ? `What the ${pick(words, '')} of page ${n} shows` : null,
      metadata: new Map([
        ['team', `team ${n % 7}`],
        ['kind', pick(['report', 'plan', 'notes'], '')],
        ['number', String(n)],
      ]),
      lock: random() < 0.05 ? lock : null,
      expiresAt: random() < 0.02 ? now + 365 * day : null,
      version: makeVersion(createdAt),
    };
    yield { drop, place: n, later, views: new Map(hasViews ? daysOf(now, random) : []) };
  }
}

/** Views of two of the last 30 days. */
function daysOf(now: number, random: () => number): [string, number][] {
  return [0, 1].map((n) => {
    const at = new Date(now - (n * 15 + Math.floor(random() * 15)) * day);
    return [at.toISOString().slice(0, 10), 1 + Math.floor(random() * 100)];
  });
}

/** mulberry32: the same numbers from 0 to 1 for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
