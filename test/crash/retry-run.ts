import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Client, createClient, createPlainClient } from '../support/client.ts';
import type { WireVersionListItem } from '../support/wire.ts';
import { type CuttingProxy, openCuttingProxy } from './cutting-proxy.ts';
import { check, expectStatus } from './ledger.ts';
import type { Subject } from './rounds.ts';

const atOnce = 8;
/** 503s of a busy machine may cost a write of the day each, as killed processes do. */
const spareWrites = 100;

export interface RetryPlan {
  /** POSTs and PUTs together. */
  readonly writes: number;
  readonly kills: number;
}

/** How many of a plan's writes are POSTs, and how many versions the first drop gets: both are what the caps allow. */
function sizesOf({ writes }: RetryPlan) {
  const drops = Math.ceil(writes * 0.3);
  return { drops, versions: Math.floor((writes - drops) / 4) };
}

/** Caps that the writes of the plan just meet: a duplicate would make another write fail. */
export function retrySettings(plan: RetryPlan) {
  const { drops, versions } = sizesOf(plan);
  return {
    DROPS_PER_ACCOUNT: String(drops),
    VERSIONS_PER_DROP: String(versions),
    WRITES_PER_DAY: String(plan.writes + plan.kills * atOnce + spareWrites),
  };
}

export interface RetryReport {
  /** Writes that were answered 2xx, each once. */
  readonly outcomes: number;
  readonly replays: number;
  readonly cuts: CuttingProxy['cuts'];
  /** Answers of 409 because the first request was running, or its process had died. */
  readonly inUse: number;
  readonly unavailable: number;
  /** Writes of the day that killed processes and 503s have cost. */
  readonly lostWrites: number;
  readonly seconds: number;
}

/** What the answers have said of a drop. */
interface Known {
  readonly slug: string;
  /** The marks of its versions. */
  readonly marks: Set<string>;
}

/**
 * Sends the writes of the plan with keys, 8 at a time, over a proxy that loses answers, and repeats each until it is
 * answered, while the service is killed (SIGKILL) so many times; then compares what is there.
 * @param subject started with `retrySettings`
 * @throws Error that says what was lost, refused or done twice
 */
export async function runRetries(subject: Subject, plan: RetryPlan): Promise<RetryReport> {
  const startedAt = performance.now();
  const proxy = await openCuttingProxy();
  proxy.forwardTo(await subject.start());
  try {
    const sender = createSender(proxy.url, subject.token);
    const drops = await writeAll(subject, plan, proxy, sender);
    const seconds = (performance.now() - startedAt) / 1_000;
    const [url = ''] = await subject.start();
    await verify(createClient(url), subject.token, plan, drops);
    const lostWrites = await overrun(plan, sender, drops);
    await verify(createClient(url), subject.token, plan, drops);
    await subject.checkData();
    if (lostWrites > plan.kills * atOnce + sender.tally.unavailable)
      throw new Error(`${lostWrites} writes of the day were lost, with ${plan.kills} kills`);
    return { outcomes: plan.writes, cuts: proxy.cuts, ...sender.tally, lostWrites, seconds };
  } finally {
    await proxy.close();
  }
}

type Sender = ReturnType<typeof createSender>;

function createSender(url: string, token: string) {
  const client = createPlainClient(url, {}, { keepAlive: false });
  const tally = { replays: 0, inUse: 0, unavailable: 0 };

  /** Repeats the request with one key until it is answered. @returns the outcome */
  async function send(method: 'POST' | 'PUT', path: string, body: object): Promise<Answer> {
    const options = { token, body, headers: { 'idempotency-key': randomUUID() } };
    for (;;) {
      const answer = await client.request(method, path, options).catch(() => null);
      const isInUse = answer?.status === 409;
      if (isInUse) tally.inUse += 1;
      if (answer?.status === 503) tally.unavailable += 1;
      if (answer !== null && !isInUse && answer.status !== 503) {
        if (answer.headers['idempotency-replayed'] !== undefined) tally.replays += 1;
        return answer;
      }
      const seconds = Number(answer?.headers['retry-after'] ?? 0);
      await wait(seconds * 1_000 + 20 + Math.random() * 80);
    }
  }

  return { send, tally };
}

/** Each drop, the one that gets the most versions first. */
async function writeAll(
  subject: Subject,
  plan: RetryPlan,
  proxy: CuttingProxy,
  { send }: Sender,
): Promise<Known[]> {
  const sizes = sizesOf(plan);
  const drops: Known[] = [];
  const left = { posts: sizes.drops, ofFirst: sizes.versions - 1, puts: plan.writes - sizes.drops };
  let done = 0;
  let next = 0;

  async function post(): Promise<void> {
    const mark = `${next++}`;
    const answer = await send('POST', '/api/drops', { title: `Drop ${mark}`, ...documentOf(mark) });
    expectStatus(answer, 201);
    drops.push({ slug: answer.body.slug, marks: new Set([mark]) });
  }

  async function put({ slug, marks }: Known): Promise<void> {
    const mark = `${next++}`;
    marks.add(mark);
    expectStatus(await send('PUT', `/api/drops/${slug}`, documentOf(mark)), 200);
  }

  /** A third are POSTs while there are any; of the PUTs, the first drop gets its share. */
  async function one(): Promise<void> {
    const [first, ...others] = drops;
    if (first === undefined || others.length === 0 || left.puts === 0 || (left.posts > 0 && next % 3 === 0)) {
      left.posts -= 1;
      return post();
    }
    left.puts -= 1;
    if (left.ofFirst === 0 || next % 3 === 1) return put(shortest(others));
    left.ofFirst -= 1;
    return put(first);
  }

  async function work(): Promise<void> {
    while (left.posts + left.puts > 0) {
      await one();
      done += 1;
    }
  }

  async function kill(): Promise<void> {
    for (let kills = 0; kills < plan.kills; kills++) {
      while (done < ((kills + 0.5) * plan.writes) / plan.kills) await wait(5);
      await subject.kill();
      proxy.forwardTo(await subject.start());
    }
  }

  await one(); // the first two drops, for the PUTs
  await one();
  done = 2;
  const workers = Promise.all(Array.from({ length: atOnce }, work));
  await Promise.all([workers, Promise.race([kill(), workers])]);
  return drops;
}

/** Every write is there exactly once, with its document. */
async function verify(
  client: Client,
  token: string,
  plan: RetryPlan,
  drops: readonly Known[],
): Promise<void> {
  const { body: me } = await client.get('/api/me', { token });
  check(me.drop_count === sizesOf(plan).drops, `there are ${me.drop_count} drops`);
  for (const { slug, marks } of drops) {
    const path = `/api/drops/${slug}`;
    const { body: versions } = await client.get<WireVersionListItem[]>(`${path}/versions`, { token });
    const found = versions.map(async ({ version }) => {
      const { text } = await client.get(`${path}/v/${version}/html`, { token });
      const { body } = await client.get(`${path}/v/${version}`, { token });
      const mark = /mark-(\d+)-/.exec(text)?.[1] ?? 'none';
      check(text === documentOf(mark).html, `version ${version} of ${slug} is not what was sent`);
      check(
        body.context === documentOf(mark).context,
        `the context of version ${version} of ${slug} is another's`,
      );
      return mark;
    });
    const there = (await Promise.all(found)).sort().join();
    const sent = [...marks].sort().join();
    check(there === sent, `the versions of ${slug} are of the writes ${there}; sent were ${sent}`);
  }
  client.close();
}

/**
 * Writes more than the caps allow, over the same proxy. All that is accepted beyond the plan are PUTs, up to the day's quota.
 * @returns how many writes of the day were counted without an accepted write
 */
async function overrun(plan: RetryPlan, { send }: Sender, drops: readonly Known[]): Promise<number> {
  const [first, ...others] = drops;
  let accepted = 0;

  async function refused(write: Promise<Answer>, code: string): Promise<void> {
    const { status, body } = await write;
    check(status === 429 && body.error.code === code, `a write beyond a cap was ${status}, not ${code}`);
  }

  async function untilRefused(): Promise<void> {
    for (;;) {
      const drop = shortest(others);
      const mark = `${plan.writes + Math.floor(Math.random() * 1e9)}`;
      drop.marks.add(mark);
      const answer = await send('PUT', `/api/drops/${drop.slug}`, documentOf(mark));
      if (answer.status === 429 && answer.body.error.code === 'daily_quota_exceeded') {
        drop.marks.delete(mark);
        return;
      }
      expectStatus(answer, 200);
      accepted += 1;
    }
  }

  await inParallel(() => refused(send('POST', '/api/drops', { title: 'x', html: 'x' }), 'quota_exceeded'));
  await inParallel(() =>
    refused(send('PUT', `/api/drops/${first?.slug}`, { html: 'x' }), 'version_limit_reached'),
  );
  await inParallel(untilRefused);
  return Number(retrySettings(plan).WRITES_PER_DAY) - plan.writes - accepted;
}

/** The drop with the fewest versions. */
function shortest(drops: readonly Known[]): Known {
  return drops.reduce((one, other) => (other.marks.size < one.marks.size ? other : one));
}

async function inParallel(call: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: atOnce }, call));
}

function documentOf(mark: string) {
  const size = [10, 100, 1_000, 20_000][Number(mark) % 4] ?? 0;
  const html = `<!doctype html><title>${mark}</title><p>mark-${mark}-</p>${'<p>é 😀</p>'.repeat(size)}`;
  return { html, context: `Context of ${mark}` };
}
