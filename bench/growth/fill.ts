import { createArgon2Hasher } from '../../shared/adapters/argon2/passcode-hasher.ts';
import { readConfig } from '../../shared/config/config.ts';
import { newId, randomBase62 } from '../../shared/domain/ids.ts';
import { reportIdLength, reportReasons } from '../../shared/domain/report.ts';
import { hashToken, newToken, tokenIdOf } from '../../shared/domain/token.ts';
import { migrateStores, openStores } from '../../shared/open-stores.ts';
import type { Engine } from '../../shared/ports/engine.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import {
  type AccountPlan,
  cap,
  createRandom,
  type FilledDrop,
  largeName,
  makeDrops,
  planAccounts,
  writerName,
} from './data-set.ts';
import { openDropWriter } from './mongo-drops.ts';

/** What requests need to know of an account. */
export interface FilledAccount {
  readonly name: string;
  readonly token: string;
  readonly drops: number;
  /** Of public drops. */
  readonly slugs: readonly string[];
  /** Of those with more than one version. */
  readonly changed: readonly string[];
}

/** What a filled store holds; kept beside it. */
export interface Filled {
  readonly size: number;
  readonly seconds: number;
  readonly versions: number;
  readonly writer: FilledAccount;
  /** null: the smallest size has none. */
  readonly large: FilledAccount | null;
  /** Accounts at their cap. */
  readonly typical: readonly FilledAccount[];
}

type Write = (drops: readonly FilledDrop[], cap: number) => Promise<void>;

const dropsAtOnce = 500;
/** Accounts and slugs that requests take turns with. */
const accountsKept = 40;
const slugsKept = 200;

/** Fills the empty store that the settings name. @param tell called with a line about once a second */
export async function fill(
  env: Readonly<Record<string, string>>,
  { size, seed }: { size: number; seed: number },
  tell: (line: string) => void,
): Promise<Filled> {
  const begun = performance.now();
  const config = readConfig({ ...env, REPORTS_OPEN_PER_DROP: '20' });
  const log = createRecordingLog();
  await migrateStores(config, { log });
  const clock = { now: () => Date.now() };
  const engine = await openStores(config, { log, role: 'service', clock });
  const mongo = env.MONGODB_URI === undefined ? null : await openDropWriter(env.MONGODB_URI);
  const write: Write = mongo === null ? (drops, limit) => writeByPort(engine, drops, limit) : mongo.write;
  const random = createRandom(seed);
  const lock = { id: newId(clock.now()), hash: await createArgon2Hasher().hash('open-sesame', 'bench') };
  const accounts: FilledAccount[] = [];
  let drops = 0;
  let versions = 0;
  let told = begun;
  try {
    for (const plan of planAccounts(size)) {
      const { id, token } = await makeAccount(engine, plan.name);
      const made = [...makeDrops(id, plan, { random, lock, now: clock.now() })];
      for (let from = 0; from < made.length; from += dropsAtOnce) {
        const batch = made.slice(from, from + dropsAtOnce);
        await write(batch, plan.name === largeName ? 1_000_000 : cap);
        await addViews(engine, batch, drops + from);
        await report(engine, batch);
      }
      drops += made.length;
      versions += made.reduce((sum, { later }) => sum + 1 + later.length, 0);
      accounts.push(describeAccount(plan, token, made));
      if (performance.now() - told < 1_000) continue;
      told = performance.now();
      tell(`${drops} drops, ${((1_000 * drops) / (told - begun)).toFixed(0)} a second`);
    }
    await engine.views.aggregate(clock.now() + 1);
  } finally {
    await engine.close();
    await mongo?.close();
  }
  const named = (name: string) => accounts.find((account) => account.name === name) ?? null;
  const writer = named(writerName);
  if (writer === null) throw new Error('no account that writes');
  const typical = accounts.filter((account) => account.drops === cap);
  const step = Math.max(1, Math.floor(typical.length / accountsKept));
  return {
    ...{ size, versions, writer, large: named(largeName), seconds: (performance.now() - begun) / 1_000 },
    typical: typical.filter((_, n) => n % step === 0).slice(0, accountsKept),
  };
}

async function makeAccount(engine: Engine, name: string): Promise<{ id: string; token: string }> {
  const now = Date.now();
  const { id } = await engine.accounts.findOrCreate(
    { provider: 'local', subject: name, name },
    newId(now),
    now,
  );
  const token = newToken();
  const hash = hashToken(token);
  await engine.tokens.insert({
    ...{ id: tokenIdOf(hash), hash, accountId: id, label: 'bench' },
    ...{ createdAt: now, lastUsedAt: null, expiresAt: null },
  });
  return { id, token };
}

/** The writes of one batch share a transaction in SQLite. */
async function writeByPort({ drops }: Engine, batch: readonly FilledDrop[], limit: number): Promise<void> {
  await Promise.all(batch.map(({ drop }) => drops.create(drop, limit, [])));
  await Promise.all(
    batch.flatMap(({ drop: { ownerId, slug }, later }) =>
      later.map((version) => drops.addVersion({ ownerId, slug, revs: null }, version, {}, 200, [])),
    ),
  );
}

/** Numbers of flushes rise with `flush`. */
async function addViews({ views }: Engine, batch: readonly FilledDrop[], flush: number): Promise<void> {
  const counts = batch.flatMap(({ drop, views: byDay }) =>
    [...byDay].map(([day, count]) => ({ dropId: drop.id, day, count })),
  );
  await views.add('growth', flush + 1, counts);
  if (flush % 10_000 === 0) await views.aggregate(Date.now());
}

/** One drop in a hundred has a report. */
async function report({ reports }: Engine, batch: readonly FilledDrop[]): Promise<void> {
  for (const [n, { drop, later }] of batch.entries()) {
    if (n % 100 !== 7) continue;
    const reason = reportReasons[((n / 100) % reportReasons.length) | 0] ?? 'other';
    const about = { dropId: drop.id, slug: drop.slug, version: 1 + later.length };
    const sent = { reason, text: 'It asks for my password.', contact: null, createdAt: Date.now() };
    await reports.insert({ id: randomBase62(reportIdLength), ...about, ...sent }, 20);
  }
}

function describeAccount(
  { name, drops }: AccountPlan,
  token: string,
  made: readonly FilledDrop[],
): FilledAccount {
  const step = Math.max(1, Math.floor(made.length / slugsKept));
  const open = made.filter(({ drop }, n) => n % step === 0 && drop.lock === null);
  const changed = open.filter(({ later }) => later.length > 0);
  const slugOf = ({ drop }: FilledDrop) => drop.slug;
  return { name, token, drops, slugs: open.map(slugOf), changed: changed.map(slugOf) };
}
