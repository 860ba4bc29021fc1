// What one anonymous reader and one account can do to others with the most comments that the bounds allow.
import { type Author, type Comment, commentLimits } from '../shared/comments/comment.ts';
import { isScaleOut, readConfig } from '../shared/config/config.ts';
import { newId } from '../shared/domain/ids.ts';
import { openStores, systemClock } from '../shared/engines/open-stores.ts';
import { type Client, createPlainClient } from '../test/support/client.ts';
import { createRecordingLog } from '../test/worker/recording-log.ts';
import { type Attack, asking } from './attacks.ts';
import { type Served, signIn } from './served.ts';

type NamedAttack = readonly [name: string, attack: Attack];

/** Of CPU, for a page or a list. */
const cpuMsAtMost = 20;
const requestsMeasured = 30;
const seededAtOnce = 20;

const author: Author = {
  role: 'guest',
  accountId: null,
  guest: 'a'.repeat(64),
  name: 'Reader',
  via: null,
  tokenId: null,
};
/** Four bytes each. */
const leaves = (count: number) => '\u{1f343}'.repeat(count);
const quote = {
  quote: leaves(1_000),
  prefix: leaves(64),
  suffix: leaves(64),
  position: 7,
  sides: 'found' as const,
  standing: null,
  context: null,
  changedTo: null,
};

/** Threads of 64 KiB: of long texts, or of as many replies as there may be. */
const shapes = {
  long: { text: leaves(4_000), replies: Array<string>(3).fill(leaves(4_000)) },
  many: { text: leaves(80), replies: Array<string>(commentLimits.replies).fill(leaves(81)) },
};

interface Measured {
  readonly name: string;
  readonly ask: (client: Client) => Promise<{ readonly status: number; readonly bytes: Uint8Array }>;
}

/** @returns the attacks, and what tells the CPU of each page and list; it returns those above 20 ms */
export async function prepareComments(service: Served, token: string) {
  const cookie = await signIn(service, 'attacker');
  const slugs = { long: await publish(service.url, token), many: await publish(service.url, token) };
  await seed(service, slugs);
  const page = (slug: string, query = ''): Measured => ({
    name: `GET /p/{slug}/comments${query}`,
    ask: (client) => client.get(`/p/${slug}/comments${query}`, { headers: { accept: 'text/html' } }),
  });
  const list = (slug: string, query: string): Measured => ({
    name: `GET /api/comments?${query}`,
    ask: (client) => client.get(`/api/comments?drop=${slug}&${query}`, { token }),
  });
  const inDashboard = (query: string): Measured => ({
    name: `GET /comments?${query}`,
    ask: (client) => client.get(`/comments?${query}`, { headers: { cookie } }),
  });
  const measured = (['long', 'many'] as const).flatMap((shape) =>
    [
      page(slugs[shape]),
      page(slugs[shape], '?filter=resolved'),
      list(slugs[shape], 'limit=100'),
      list(slugs[shape], 'state=all&limit=100'),
      list(slugs[shape], 'state=held'),
      list(slugs[shape], 'after=1&wait=0&limit=100'),
    ].map((each) => ({ ...each, name: `${shape}: ${each.name}` })),
  );
  const both =
    (slug: string): Attack =>
    async (target, isOver) => {
      const anonymous = asking(1, () => ['GET', `/p/${slug}/comments`, { headers: { accept: 'text/html' } }]);
      const account = asking(1, () => ['GET', `/api/comments?drop=${slug}&state=all&limit=100`, { token }]);
      const dashboard = asking(1, () => ['GET', '/comments?state=all', { headers: { cookie } }]);
      await Promise.all([anonymous, account, dashboard].map((attack) => attack(target, isOver)));
    };
  const attacks: NamedAttack[] = [
    ['comments, long ones: a reader and an account in loops', both(slugs.long)],
    ['comments, many replies: a reader and an account in loops', both(slugs.many)],
    [
      'comments: 20 readers',
      asking(20, () => ['GET', `/p/${slugs.long}/comments`, { headers: { accept: 'text/html' } }]),
    ],
  ];
  return { attacks, measureCpu: () => measureCpu(service, [...measured, inDashboard('state=all')]) };
}

async function publish(url: string, token: string): Promise<string> {
  const client = createPlainClient(url);
  const body = { title: 'Commented', html: '<p>small', comments: 'anyone' };
  const answer = await client.request('POST', '/api/drops', { token, body });
  client.close();
  if (answer.status !== 201) throw new Error(`POST /api/drops was answered ${answer.status}`);
  return answer.body.slug;
}

/** On each drop 500 open and 1,500 resolved threads, as an import stores them. */
async function seed({ env }: Served, slugs: Readonly<Record<keyof typeof shapes, string>>): Promise<void> {
  const config = readConfig(env);
  const role = isScaleOut(config) ? 'service' : 'command';
  const stores = await openStores(config, { log: createRecordingLog(), role, clock: systemClock });
  for (const [shape, slug] of Object.entries(slugs)) {
    const page = await stores.drops.findPage(slug, null);
    if (page?.version == null) throw new Error('the page is there');
    const version = {
      ownerId: page.ownerId,
      dropId: page.dropId,
      slug,
      versionId: page.version.id,
      version: 1,
    };
    for (let from = 0; from < commentLimits.threadsPerDrop; from += seededAtOnce) {
      const numbers = Array.from({ length: seededAtOnce }, (_, n) => from + n);
      await stores.archive.write(
        'comments',
        numbers.map((n) => threadOf(version, shapes[shape as keyof typeof shapes], n)), // proof: its keys
      );
    }
  }
  await stores.close();
}

type VersionFields = Pick<Comment, 'ownerId' | 'dropId' | 'slug' | 'versionId' | 'version'>;

function threadOf(version: VersionFields, { text, replies }: (typeof shapes)['long'], n: number): Comment {
  const now = Date.now();
  return {
    ...version,
    id: newId(now),
    anchor: quote,
    author,
    text,
    resolvedBy: null,
    resolving: [],
    kind: 'comment' as const,
    inLatest: 'kept' as const,
    state: n % 4 === 0 ? 'open' : 'resolved',
    replies: replies.map((words) => ({ id: newId(now), author, text: words, createdAt: now })),
    seq: ++lastSeq,
    createdAt: now,
    updatedAt: now,
    updatedBy: null,
    otherSeq: 0,
  };
}

/** Numbers of threads, which are unique by owner. */
let lastSeq = 1;

/** @returns a row for each: bytes of the answer and CPU of the main thread, with the misses */
async function measureCpu(service: Served, measured: readonly Measured[]) {
  const client = createPlainClient(service.url, { 'sec-fetch-mode': 'navigate' });
  const rows: string[][] = [];
  const misses: string[] = [];
  for (const { name, ask } of measured) {
    for (let n = 0; n < 5; n++) await ask(client);
    const before = service.mainThreadCpuMs();
    const cpuBefore = service.cpuSeconds();
    let bytes = 0;
    for (let n = 0; n < requestsMeasured; n++) {
      const answer = await ask(client);
      if (answer.status !== 200) misses.push(`${name} was answered ${answer.status}`);
      bytes = answer.bytes.length;
    }
    const main = (service.mainThreadCpuMs() - before) / requestsMeasured;
    const all = ((service.cpuSeconds() - cpuBefore) * 1_000) / requestsMeasured;
    rows.push([name, (bytes / 1_024).toFixed(0), main.toFixed(1), all.toFixed(1)]);
    if (main > cpuMsAtMost) misses.push(`${service.engine} engine, ${name}: ${main.toFixed(1)} ms of CPU`);
  }
  client.close();
  return { rows, misses };
}
