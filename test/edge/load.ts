import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Answer, type Client, createClient } from '../support/client.ts';
import { createHistory, type History, type Shown } from './history.ts';

export interface LoadOptions {
  /** Where readers ask. */
  readonly edgeUrl: string;
  /** Where the writer writes. */
  readonly originUrl: string;
  readonly token: string;
  readonly readers: number;
  readonly drops: number;
  readonly seconds: number;
  /** Between two requests of a reader, ms. */
  readonly thinkMs: number;
  /** Between two changes, ms. */
  readonly changeMs: number;
  /** How much later what the origin and the edge tell each other arrives, each way; one after the other, ms. */
  readonly delaysMs: readonly number[];
  /** Sets that. */
  delay(ms: number): void;
}

export interface LoadReport {
  readonly requests: number;
  readonly hits: number;
  readonly changes: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** The longest time after an acknowledged change at which somebody asked and still got what was before, ms. */
  readonly oldestMs: number;
  /** What nobody may have seen. */
  readonly violations: readonly string[];
}

const graceMs = 2_000;
const delayRoundMs = 2_500;

interface Drop {
  slug: string;
  history: History;
}

/** Many read through an edge while one writes. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { readers, drops: count, seconds, delaysMs } = options;
  const origin = createClient(options.originUrl, { authorization: `Bearer ${options.token}` });
  const clients = Array.from({ length: readers }, () => createClient(options.edgeUrl));
  const changes: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  const violations: string[] = [];
  /** By slug: what it showed before it was locked. */
  const unlocked = new Map<string, string>();
  let marks = 0;
  let hits = 0;
  let oldestMs = 0;

  const goesOn = () => performance.now() < endAt;

  function newMark(): string {
    marks += 1;
    return `mark-${marks}`;
  }

  async function createDrop(): Promise<Drop> {
    const mark = newMark();
    const sentAt = performance.now();
    const body = { title: 'A page', html: htmlOf(mark) };
    const answer = await send('POST', '/api/drops', body, 201);
    return answer === null ? createDrop() : { slug: answer.body.slug, history: createHistory(mark, sentAt) };
  }

  /** null: 503, and it may be done or not. */
  async function send(
    method: string,
    path: string,
    body: object | undefined,
    expected: number,
  ): Promise<Answer | null> {
    const answer = await origin.request(method, path, { body });
    if (answer.status === 503) return null;
    if (answer.status !== expected) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** A change of what is shown; one whose outcome is unknown leaves what was before legal, too. */
  async function make(kind: string, history: History, shown: Shown, ...request: Parameters<typeof send>) {
    const ended = history.begin(shown);
    const answer = await send(...request);
    if (answer !== null) ended();
    const name = answer === null ? `${kind} with 503` : kind;
    changes[name] = (changes[name] ?? 0) + 1;
  }

  async function change(index: number): Promise<void> {
    const drop = drops[index];
    if (drop === undefined) return;
    const dice = Math.random();
    if (dice < 0.1) {
      await remove(drop);
      await pause(3_000 * Math.random()); // it is looked for meanwhile
      drops[index] = await createDrop();
    } else if (drop.history.current === 'locked') await setPasscode(drop, '');
    else if (dice < 0.35) await setPasscode(drop, 'open sesame');
    else await replace(drop);
  }

  const remove = ({ slug, history }: Drop) =>
    make('delete', history, 'gone', 'DELETE', `/api/drops/${slug}`, undefined, 204);

  async function setPasscode({ slug, history }: Drop, passcode: string): Promise<void> {
    const isLock = passcode !== '';
    const shown = isLock ? 'locked' : (unlocked.get(slug) ?? '');
    if (isLock) unlocked.set(slug, history.current);
    const path = `/api/drops/${slug}/passcode`;
    await make(isLock ? 'lock' : 'unlock', history, shown, 'POST', path, { passcode }, 200);
  }

  async function replace({ slug, history }: Drop): Promise<void> {
    const mark = newMark();
    await make('put', history, mark, 'PUT', `/api/drops/${slug}`, { html: htmlOf(mark) }, 200);
  }

  async function write(): Promise<void> {
    const busy = new Map<number, Promise<void>>();
    while (goesOn()) {
      const index = pick();
      if (!busy.has(index)) {
        busy.set(
          index,
          change(index).finally(() => busy.delete(index)),
        );
      }
      await pause(options.changeMs);
    }
    await Promise.all(busy.values());
  }

  /** Some are asked for much more often than others. */
  const pick = () => Math.floor(count * Math.random() ** 2);

  async function read(client: Client): Promise<void> {
    while (goesOn()) {
      const drop = drops[pick()];
      if (drop === undefined) return;
      const askedAt = performance.now();
      const encoding =
        ['br, gzip', 'gzip', 'identity', 'gzip, deflate, br;q=0.9'][Math.floor(4 * Math.random())] ?? '';
      const extra = Math.random() < 0.3 ? `?utm_source=${Math.floor(1e6 * Math.random())}` : '';
      const answer = await client.get(`/p/${drop.slug}/raw${extra}`, {
        headers: { 'accept-encoding': encoding },
      });
      judge(drop, answer, askedAt);
      await pause(options.thinkMs * (0.5 + Math.random()));
    }
  }

  function judge({ slug, history }: Drop, answer: Answer, askedAt: number): void {
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.headers['x-cache'] === 'hit') hits += 1;
    const shown = shownBy(answer);
    if (shown === null) return;
    const { isLegal, ageMs } = history.judge(shown, askedAt, performance.now(), graceMs);
    oldestMs = Math.max(oldestMs, Number.isFinite(ageMs) ? ageMs : 0);
    if (isLegal) return;
    violations.push(
      `${slug}: ${shown} ${Math.round(ageMs)} ms after its end (${answer.headers['x-cache']}), now ${history.current}`,
    );
  }

  async function changeDelays(): Promise<void> {
    for (let round = 0; goesOn(); round++) {
      options.delay(delaysMs[round % delaysMs.length] ?? 0);
      await pause(Math.min(delayRoundMs, Math.max(endAt - performance.now(), 0)));
    }
    options.delay(0);
  }

  const drops: Drop[] = [];
  while (drops.length < count) drops.push(...(await Promise.all(Array.from({ length: 5 }, createDrop))));
  const endAt = performance.now() + seconds * 1_000;
  await Promise.all([write(), changeDelays(), ...clients.map(read)]);
  for (const client of [origin, ...clients]) client.close();
  const requests = Object.values(statuses).reduce((sum, n) => sum + n, 0);
  return { requests, hits, changes, statuses, oldestMs: Math.round(oldestMs), violations };
}

function htmlOf(mark: string): string {
  return `<!doctype html><title>t</title><p>[${mark}]<p>${'lorem ipsum '.repeat(80)}`;
}

/** null: an answer that tells nothing of the drop, such as 503. */
function shownBy(answer: Answer): Shown | null {
  if (answer.status === 403) return 'locked';
  if (answer.status === 404) return 'gone';
  if (answer.status !== 200) return null;
  return /\[(mark-\d+)\]/.exec(textOf(answer))?.[1] ?? 'no mark';
}

function textOf({ headers, bytes }: Answer): string {
  const encoding = headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(bytes).toString();
  return encoding === 'gzip' ? gunzipSync(bytes).toString() : bytes.toString();
}

/** For people. */
export function describeLoad(report: LoadReport): string {
  const { requests, hits, changes, statuses, oldestMs, violations } = report;
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, n]) => `${n} ${name}`)
      .join(', ');
  return `${requests} requests (${list(statuses)}), hit ratio ${(hits / requests).toFixed(3)}; changes: ${list(changes)}; the oldest page was asked for ${oldestMs} ms after its end; ${violations.length} violations`;
}
