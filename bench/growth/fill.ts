import type { ArchivedDrop } from '../../shared/archives/archive.ts';
import type { ArchiveStore } from '../../shared/archives/archive-store.ts';
import { isScaleOut, readConfig } from '../../shared/config/config.ts';
import { hashToken, newToken, tokenIdOf } from '../../shared/credentials/token.ts';
import { newId, newSlug, randomBase62 } from '../../shared/domain/ids.ts';
import type { Lock } from '../../shared/drops/access.ts';
import { type Document, htmlMediaType, type OwnedVersion } from '../../shared/drops/drop.ts';
import { migrateStores, openStores, systemClock } from '../../shared/engines/open-stores.ts';
import { createArgon2Hasher } from '../../shared/passcodes/argon2.ts';
import { type Report, reportIdLength, reportReasons } from '../../shared/reports/report.ts';
import { createRandom } from '../../test/support/random.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import { makePage } from '../load.ts';

/** What requests need to know of an account. */
export interface FilledAccount {
  readonly name: string;
  readonly token: string;
  readonly drops: number;
  /** The slugs of public drops. */
  readonly slugs: readonly string[];
  /** The slugs of those with more than one version. */
  readonly changed: readonly string[];
}

export interface Filled {
  readonly seconds: number;
  readonly versions: number;
  /** The account that writes: it has a few places left below its cap. */
  readonly writer: FilledAccount;
  /** The account with many drops; null in the smallest size, most of which it would be. */
  readonly large: FilledAccount | null;
  /** Accounts at their cap. */
  readonly typical: readonly FilledAccount[];
}

/** The default of DROPS_PER_ACCOUNT. */
const cap = 500;
const writerDrops = cap - 50;
const largeDrops = 20_000;
const dropsAtOnce = 500;
const blobsAtOnce = 64;
/** Accounts and slugs that requests take turns with. */
const accountsKept = 40;
const slugsKept = 200;

/** Fills the empty store that the settings name with `size` drops, as an import does, and with the large account. */
export async function fill(
  env: Readonly<Record<string, string>>,
  { size, seed }: { size: number; seed: number },
): Promise<Filled> {
  const begun = performance.now();
  const config = readConfig(env);
  const log = createRecordingLog();
  if (isScaleOut(config)) await migrateStores(config, { log });
  const { archive, close } = await openStores(config, { log, role: 'service', clock: systemClock });
  const random = createRandom(seed);
  const lock = { id: newId(Date.now()), hash: await createArgon2Hasher().hash('open-sesame', 'bench') };
  let versions = 0;

  async function addAccount(name: string, drops: number): Promise<FilledAccount> {
    const { id, token } = await insertAccount(archive, name);
    const made = Array.from({ length: drops }, (_, n) => makeDrop(id, n, { random, lock, now: Date.now() }));
    const documents = made.flatMap((drop) => [...drop.documents]);
    for (let from = 0; from < documents.length; from += blobsAtOnce) {
      const slice = documents.slice(from, from + blobsAtOnce);
      await archive.writeBlobs(
        'html',
        slice.map(([id, { html }]) => ({ id, bytes: html })),
      );
      await archive.writeBlobs(
        'contexts',
        slice.flatMap(([id, { context }]) => (context === null ? [] : [{ id, bytes: context }])),
      );
    }
    for (let from = 0; from < made.length; from += dropsAtOnce) {
      const records = made.slice(from, from + dropsAtOnce).map(({ record }) => record);
      await archive.write('drops', records);
      await archive.write('reports', records.filter((_, n) => n % 100 === 7).map(reportOf));
    }
    versions += made.reduce((sum, { documents }) => sum + documents.size, 0);
    return { name, token, drops, ...slugsOf(made.map(({ record }) => record)) };
  }

  try {
    const writer = await addAccount('writer', writerDrops);
    const accounts: FilledAccount[] = [];
    for (let left = size - writerDrops; left > 0; left -= cap) {
      accounts.push(await addAccount(`account-${accounts.length + 1}`, Math.min(cap, left)));
    }
    const large = size < largeDrops ? null : await addAccount('large', largeDrops);
    const typical = accounts.filter(({ drops }) => drops === cap);
    const step = Math.max(1, Math.floor(typical.length / accountsKept));
    return {
      versions,
      writer,
      large,
      seconds: (performance.now() - begun) / 1_000,
      typical: typical.filter((_, n) => n % step === 0).slice(0, accountsKept),
    };
  } finally {
    await close();
  }
}

async function insertAccount(archive: ArchiveStore, name: string): Promise<{ id: string; token: string }> {
  const createdAt = Date.now();
  const id = newId(createdAt);
  const identity = { provider: 'local', subject: name, name };
  await archive.write('accounts', [
    { id, identity, createdAt, suspendedAt: null, commentsSeen: 0, defaultAccess: null, dayWrites: null },
  ]);
  const token = newToken();
  const hash = hashToken(token);
  const fields = { id: tokenIdOf(hash), hash, accountId: id, label: 'bench', scope: 'all' } as const;
  await archive.write('tokens', [{ ...fields, createdAt, lastUsedAt: null, expiresAt: null }]);
  return { id, token };
}

const day = 86_400_000;
const words = ['weekly', 'report', 'sales', 'draft', 'budget', 'team', 'north', 'review', 'plan', 'notes'];

/**
 * A drop, each different: 1 to 5 versions of 1 to 3 KB, a tenth with contexts, three tags, one in twenty locked, one in fifty
 * expiring, a third with views. @param random from 0 to 1 @param lock what locked drops share: a hash takes 20 ms
 * @returns its documents by the ids of the versions
 */
function makeDrop(
  ownerId: string,
  n: number,
  { random, lock, now }: { random: () => number; lock: Lock; now: number },
): { record: ArchivedDrop; documents: ReadonlyMap<string, Document> } {
  const pick = (items: readonly string[]) => items[Math.floor(random() * items.length)] ?? '';
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
    title: `${pick(words)} ${pick(words)} ${n}`,
    description: random() < 0.5 ? `What the ${pick(words)} of page ${n} shows` : null,
    metadata: [
      ['team', `team ${n % 7}`],
      ['kind', pick(['report', 'plan', 'notes'])],
      ['number', String(n)],
    ],
    lock: random() < 0.05 ? lock : null,
    expiresAt: random() < 0.02 ? now + 365 * day : null,
    comments: 'owner',
    access: 'link',
    people: null,
    takedown: null,
    viewCount: days.reduce((sum, [, views]) => sum + views, 0),
    rev: versions.length,
    createdAt,
    updatedAt: versions.at(-1)?.createdAt ?? createdAt,
    versions,
    days,
  };
  return { record, documents };
}

function makeDocument(random: () => number): Document {
  return {
    html: Buffer.from(makePage(1_000 + Math.floor(random() * 2_000))),
    context: random() < 0.1 ? Buffer.from('The numbers come from the warehouse of last night.') : null,
  };
}

function describe({ html, context }: Document, number: number, createdAt: number): OwnedVersion {
  return {
    id: newId(createdAt),
    number,
    createdAt,
    mediaType: htmlMediaType,
    sizeBytes: html.byteLength,
    hasContext: context !== null,
    publishedBy: { kind: 'token', id: 'f00dfeedbeef', label: 'bench' },
    sha256: null,
  };
}

/** Views of two of the last 30 days, ascending. */
function daysOf(now: number, random: () => number): [string, number][] {
  return [1, 0].map((n) => {
    const at = new Date(now - (n * 15 + Math.floor(random() * 15)) * day);
    return [at.toISOString().slice(0, 10), 1 + Math.floor(random() * 100)];
  });
}

function reportOf({ id, slug, versions }: ArchivedDrop, n: number): Report {
  const about = { dropId: id, slug, version: versions.length };
  const reason = reportReasons[n % reportReasons.length] ?? 'other';
  const sent = { reason, text: 'It asks for my password.', contact: null, commentId: null };
  return { id: randomBase62(reportIdLength), ...about, ...sent, createdAt: Date.now(), closedAt: null };
}

function slugsOf(drops: readonly ArchivedDrop[]): Pick<FilledAccount, 'slugs' | 'changed'> {
  const step = Math.max(1, Math.floor(drops.length / slugsKept));
  const open = drops.filter(({ lock }, n) => n % step === 0 && lock === null);
  const changed = open.filter(({ versions }) => versions.length > 1);
  return { slugs: open.map(({ slug }) => slug), changed: changed.map(({ slug }) => slug) };
}
