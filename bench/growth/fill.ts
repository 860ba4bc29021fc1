import { createArgon2Hasher } from '../../shared/adapters/argon2/passcode-hasher.ts';
import { isScaleOut, readConfig } from '../../shared/config/config.ts';
import { newId, randomBase62 } from '../../shared/domain/ids.ts';
import { type Report, reportIdLength, reportReasons } from '../../shared/domain/report.ts';
import { hashToken, newToken, tokenIdOf } from '../../shared/domain/token.ts';
import { migrateStores, openStores } from '../../shared/open-stores.ts';
import type { ArchiveStore } from '../../shared/ports/archive-store.ts';
import { createRandom } from '../../test/support/random.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import {
  type AccountPlan,
  cap,
  type FilledDrop,
  largeName,
  makeDrops,
  planAccounts,
  writerName,
} from './data-set.ts';
import { openMongoBlobWriter } from './mongo-blobs.ts';

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

const dropsAtOnce = 500;
/** Accounts and slugs that requests take turns with. */
const accountsKept = 40;
const slugsKept = 200;

/** Fills the empty store that the settings name, as an import does. @param tell called with a line about once a second */
export async function fill(
  env: Readonly<Record<string, string>>,
  { size, seed }: { size: number; seed: number },
  tell: (line: string) => void,
): Promise<Filled> {
  const begun = performance.now();
  const config = readConfig(env);
  const log = createRecordingLog();
  if (isScaleOut(config)) await migrateStores(config, { log });
  const clock = { now: () => Date.now() };
  const { archive, close } = await openStores(config, { log, role: 'service', clock });
  const blobs =
    env.MONGODB_URI === undefined ? writerByArchive(archive) : await openMongoBlobWriter(env.MONGODB_URI);
  const random = createRandom(seed);
  const lock = { id: newId(clock.now()), hash: await createArgon2Hasher().hash('open-sesame', 'bench') };
  const accounts: FilledAccount[] = [];
  let drops = 0;
  let versions = 0;
  let told = begun;
  try {
    for (const plan of planAccounts(size)) {
      const { id, token } = await addAccount(archive, plan.name);
      const made = [...makeDrops(id, plan, { random, lock, now: clock.now() })];
      for (let from = 0; from < made.length; from += dropsAtOnce) {
        const batch = made.slice(from, from + dropsAtOnce);
        await blobs.write(batch);
        await archive.write(
          'drops',
          batch.map(({ record }) => record),
        );
        await archive.write('reports', batch.filter((_, n) => n % 100 === 7).map(reportOf));
      }
      drops += made.length;
      versions += made.reduce((sum, { documents }) => sum + documents.size, 0);
      accounts.push(describeAccount(plan, token, made));
      if (performance.now() - told < 1_000) continue;
      told = performance.now();
      tell(`${drops} drops, ${((1_000 * drops) / (told - begun)).toFixed(0)} a second`);
    }
  } finally {
    await blobs.close();
    await close();
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

async function addAccount(archive: ArchiveStore, name: string): Promise<{ id: string; token: string }> {
  const createdAt = Date.now();
  const id = newId(createdAt);
  const identity = { provider: 'local', subject: name, name };
  await archive.write('accounts', [{ id, identity, createdAt, suspendedAt: null, dayWrites: null }]);
  const token = newToken();
  const hash = hashToken(token);
  const fields = { id: tokenIdOf(hash), hash, accountId: id, label: 'bench' };
  await archive.write('tokens', [{ ...fields, createdAt, lastUsedAt: null, expiresAt: null }]);
  return { id, token };
}

interface BlobWriter {
  write(drops: readonly FilledDrop[]): Promise<void>;
  close(): Promise<void>;
}

function writerByArchive(archive: ArchiveStore): BlobWriter {
  return {
    async write(drops) {
      const documents = drops.flatMap((drop) => [...drop.documents]);
      await Promise.all(documents.map(([id, { html }]) => archive.writeBlob('html', id, html)));
      await Promise.all(
        documents.map(([id, { context }]) => context && archive.writeBlob('contexts', id, context)),
      );
    },
    close: async () => undefined,
  };
}

function reportOf({ record: { id, slug, versions } }: FilledDrop, n: number): Report {
  const about = { dropId: id, slug, version: versions.length };
  const reason = reportReasons[n % reportReasons.length] ?? 'other';
  const sent = { reason, text: 'It asks for my password.', contact: null };
  return { id: randomBase62(reportIdLength), ...about, ...sent, createdAt: Date.now(), closedAt: null };
}

function describeAccount(
  { name, drops }: AccountPlan,
  token: string,
  made: readonly FilledDrop[],
): FilledAccount {
  const step = Math.max(1, Math.floor(made.length / slugsKept));
  const open = made.map(({ record }) => record).filter(({ lock }, n) => n % step === 0 && lock === null);
  const changed = open.filter(({ versions }) => versions.length > 1);
  const slugOf = ({ slug }: { slug: string }) => slug;
  return { name, token, drops, slugs: open.map(slugOf), changed: changed.map(slugOf) };
}
