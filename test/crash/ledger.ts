import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Client, createPlainClient } from '../support/client.ts';
import { until } from '../support/until.ts';
import type { WireCommentList, WireDrop, WireVersionListItem } from '../support/wire.ts';

/** What was posted as one version of a drop. */
interface Posted {
  readonly html: string;
  readonly context: string;
  /** The id of the comment that the version resolves. */
  readonly resolves?: string;
}

/** A drop as the answers have described it, and what was under way when no answer came. */
export interface Entry {
  readonly slug: string;
  /** By the numbers that were answered. */
  readonly versions: Map<number, Posted>;
  metadata: Record<string, string>;
  /** The ids of acknowledged comments. */
  readonly comments: Set<string>;
  /** Writes with an unknown outcome: they may be there, whole, or not. */
  unknown: { versions: Posted[]; metadata: Record<string, string>[]; removal: boolean };
  isRemoved: boolean;
}

/** Everything that was answered 2xx since the beginning, over all crashes. */
export interface Ledger {
  readonly entries: Map<string, Entry>;
  /** Accepted POSTs and PUTs. */
  accepted: number;
  /** POSTs and PUTs without an answer, or answered 503: they may have been done. */
  unknownWrites: number;
  /** Answers of 503, to writes of any kind. */
  unavailable: number;
  /** POSTs with an unknown outcome, by the mark in their metadata. */
  readonly unknownCreates: Map<string, Posted>;
  /** Writes with a key that had no answer: each repeats one until it is answered, and enters the answer. */
  readonly unfinished: ((client: Client) => Promise<void>)[];
}

export function createLedger(): Ledger {
  const counts = { accepted: 0, unknownWrites: 0, unavailable: 0 };
  return { ...counts, entries: new Map(), unknownCreates: new Map(), unfinished: [] };
}

/** One that writes, and enters every answer. */
export interface Writer {
  /** Resolves when the service is gone, or `stop` was called. @throws when it answered what it must not */
  run(): Promise<void>;
  /** After the write under way. */
  stop(): void;
}

/**
 * @param sequence makes each document its own: 0, 1, 2 … over all writers and rounds
 * @param keyedAt POSTs and PUTs have an Idempotency-Key, and each is sent to one of these URLs before, over a connection that
 *   is cut at any moment. Unset: without keys
 */
export function createWriter(
  client: Client,
  token: string,
  ledger: Ledger,
  sequence: () => number,
  keyedAt?: readonly string[],
): Writer {
  let current: Entry | null = null;
  let isOver = false;

  /** null: the outcome is unknown. */
  async function send(method: string, path: string, body?: object): Promise<Answer | null> {
    let answer: Answer;
    try {
      answer = await client.request(method, path, { token, ...(body && { body }) });
    } catch {
      isOver = true; // the service was killed
      return null;
    }
    if (answer.status !== 503) return answer;
    ledger.unavailable += 1;
    return null;
  }

  /** @param enter takes the answer @param onUnknown called when there is none, and the write cannot be repeated */
  async function write(
    request: { method: 'POST' | 'PUT'; path: string; body: object },
    enter: (answer: Answer) => void,
    onUnknown: () => void,
  ): Promise<void> {
    const { method, path, body } = request;
    const options = { token, body, headers: { 'idempotency-key': randomUUID() } };
    if (keyedAt !== undefined) await cutOff(keyedAt[sequence() % keyedAt.length] ?? '', request, options);
    const answer = await (keyedAt === undefined
      ? send(method, path, body)
      : repeat(client, request, options).catch(() => null));
    if (answer !== null) return enter(answer);
    ledger.unknownWrites += 1;
    if (keyedAt === undefined) return onUnknown();
    isOver = true;
    ledger.unfinished.push(async (other) => enter(await repeat(other, request, options)));
  }

  async function create(): Promise<void> {
    const posted = makeDocument(sequence());
    const mark = String(sequence());
    const metadata = { mark, state: 'created' };
    const body = { title: `Drop ${mark}`, metadata, ...posted };
    await write(
      { method: 'POST', path: '/api/drops', body },
      (answer) => {
        expectStatus(answer, 201);
        ledger.accepted += 1;
        current = entryOf(answer.body.slug, posted, metadata);
        ledger.entries.set(current.slug, current);
      },
      () => ledger.unknownCreates.set(mark, posted),
    );
  }

  /** @returns its id; null: not acknowledged */
  async function comment(entry: Entry): Promise<string | null> {
    const answer = await send('POST', `/api/drops/${entry.slug}/comments`, { text: `${sequence()}` });
    if (answer === null) return null;
    expectStatus(answer, 201);
    entry.comments.add(answer.body.id);
    return answer.body.id;
  }

  async function replace(entry: Entry, isCommented: boolean): Promise<void> {
    const resolves = isCommented ? await comment(entry) : null;
    const document = makeDocument(sequence());
    const posted = { ...document, ...(resolves && { resolves }) };
    const body = { ...document, ...(resolves && { resolves: [resolves], resolves_reply: 'Done' }) };
    if (isOver) return;
    await write(
      { method: 'PUT', path: `/api/drops/${entry.slug}`, body },
      (answer) => {
        expectStatus(answer, 200);
        ledger.accepted += 1;
        const number = answer.body.latest_version;
        check(!entry.versions.has(number), `version ${number} of ${entry.slug} was given twice`);
        entry.versions.set(number, posted);
      },
      () => entry.unknown.versions.push(posted),
    );
  }

  async function patch(entry: Entry): Promise<void> {
    const metadata = { ...entry.metadata, state: `patched ${sequence()}` };
    const answer = await send('PATCH', `/api/drops/${entry.slug}`, { metadata });
    if (answer === null) {
      entry.unknown.metadata.push(metadata);
      return;
    }
    expectStatus(answer, 200);
    entry.metadata = metadata;
  }

  async function remove(entry: Entry): Promise<void> {
    const answer = await send('DELETE', `/api/drops/${entry.slug}`);
    if (answer === null) {
      entry.unknown.removal = true;
      current = null; // it may be gone
      return;
    }
    expectStatus(answer, 204);
    entry.isRemoved = true;
  }

  return {
    async run() {
      for (let step = sequence() % 8; !isOver; step++) {
        const entry: Entry | null = current;
        if (entry === null || entry.isRemoved || step % 8 === 0) await create();
        else if (step % 8 === 5) await patch(entry);
        else if (step % 16 === 15) await remove(entry);
        else await replace(entry, step % 8 === 2);
      }
    },
    stop() {
      isOver = true;
    },
  };
}

/** Sends it, and closes the connection while it is carried out or after its answer. */
async function cutOff(url: string, { method, path }: { method: string; path: string }, options: object) {
  const client = createPlainClient(url);
  const onSent = () => setTimeout(client.close, Math.random() * 30);
  await client.request(method, path, { ...options, onSent }).catch(() => undefined); // cut off, or the service is gone
  client.close();
}

/** Sends it until its first request no longer counts as running. @throws Error without an answer */
async function repeat(client: Client, { method, path }: { method: string; path: string }, options: object) {
  for (;;) {
    const answer = await client.request(method, path, options);
    // 503: on a busy machine the write may have taken too long, and the key is there to ask again.
    if (answer.status !== 409 && answer.status !== 503) return answer;
    const { code } = answer.body.error;
    check(['idempotency_key_in_use', 'unavailable'].includes(code), `${method} ${path}: ${answer.text}`);
    await wait(Number(answer.headers['retry-after']) * 1_000);
  }
}

/** Compares what the service has after a crash with the ledger, and enters what turned out to be there. */
export async function verify(client: Client, token: string, ledger: Ledger): Promise<void> {
  const listed = await listAll(client, token);
  const bySlug = new Map(listed.map((drop) => [drop.slug, drop]));
  for (const drop of listed) if (!ledger.entries.has(drop.slug)) adoptCreate(ledger, drop);
  for (const entry of ledger.entries.values())
    await verifyEntry(client, token, entry, bySlug.get(entry.slug));
  ledger.unknownCreates.clear(); // those that are not there now never will be

  const { body: me } = await client.get('/api/me', { token });
  check(me.drop_count === listed.length, `drop_count is ${me.drop_count}, listed are ${listed.length}`);
}

/** A create without an answer is there: then it must be whole. */
function adoptCreate(ledger: Ledger, drop: WireDrop): void {
  const mark = drop.metadata.mark ?? '';
  const posted = ledger.unknownCreates.get(mark);
  if (posted === undefined) throw new Error(`nobody has posted the drop ${drop.slug}, or it is there twice`);
  ledger.unknownCreates.delete(mark);
  ledger.entries.set(drop.slug, entryOf(drop.slug, posted, drop.metadata));
}

function entryOf(slug: string, posted: Posted, metadata: Record<string, string>): Entry {
  const unknown = { versions: [], metadata: [], removal: false };
  const versions = new Map([[1, posted]]);
  return { slug, versions, metadata, comments: new Set(), unknown, isRemoved: false };
}

async function verifyEntry(
  client: Client,
  token: string,
  entry: Entry,
  drop: WireDrop | undefined,
): Promise<void> {
  const { slug, unknown } = entry;
  if (drop === undefined) {
    check(entry.isRemoved || unknown.removal, `the drop ${slug} is lost`);
    entry.isRemoved = true;
    check(
      (await client.get(`/p/${slug}/raw`)).status === 404,
      `the page of the removed drop ${slug} is there`,
    );
    return;
  }
  check(!entry.isRemoved, `the removed drop ${slug} is back`);
  const states = [entry.metadata, ...unknown.metadata].map((metadata) => JSON.stringify(metadata));
  check(
    states.includes(JSON.stringify(drop.metadata)),
    `the metadata of ${slug} is ${JSON.stringify(drop.metadata)}`,
  );

  const { body: items } = await client.get<WireVersionListItem[]>(`/api/drops/${slug}/versions`, { token });
  const numbers = items.map((item) => item.version);
  check(
    drop.latest_version === numbers[0],
    `latest_version of ${slug} is ${drop.latest_version}, listed ${numbers}`,
  );
  check(
    numbers.every((number, index) => number === numbers.length - index),
    `the version numbers of ${slug} have gaps: ${numbers}`,
  );
  for (const number of entry.versions.keys())
    check(numbers.includes(number), `version ${number} of ${slug} is lost`);
  await Promise.all(numbers.map((number) => verifyVersion(client, token, entry, number)));
  check(
    new Set(entry.versions.values()).size === entry.versions.size,
    `a document is there twice, as versions of ${slug}`,
  );
  if (entry.comments.size > 0) await verifyComments(client, token, entry);
  Object.assign(entry, { metadata: drop.metadata, unknown: { versions: [], metadata: [], removal: false } });
}

/** Each is there once, and resolved by the acknowledged version that resolves it: its job may need a moment. */
async function verifyComments(
  client: Client,
  token: string,
  { slug, comments, versions }: Entry,
): Promise<void> {
  const wanted = new Map([...comments].map((id): [string, number | null] => [id, null]));
  for (const [number, { resolves }] of versions) if (resolves !== undefined) wanted.set(resolves, number);
  let fault = '';
  const isRight = async () => {
    const { body } = await client.get<WireCommentList>(`/api/comments?drop=${slug}&state=all&limit=100`, {
      token,
    });
    const found = new Map(body.data.map((comment) => [comment.id, comment]));
    const wrong = [...wanted].filter(([id, number]) => {
      const { state, resolved_by_version: by = null, replies } = found.get(id) ?? {};
      const isAsWanted = number === null ? state === 'open' : state === 'resolved' && replies?.length === 1;
      return !isAsWanted || by !== number;
    });
    fault = `comments on ${slug}: ${JSON.stringify(wrong)} are not as in ${JSON.stringify([...found.values()])}`;
    return wrong.length === 0;
  };
  await until(isRight, 'the comments are as they were acknowledged', 20_000).catch(() => check(false, fault));
}

async function verifyVersion(client: Client, token: string, entry: Entry, number: number): Promise<void> {
  const where = `version ${number} of ${entry.slug}`;
  const { body: version } = await client.get(`/api/drops/${entry.slug}/v/${number}`, { token });
  const candidates = [entry.versions.get(number) ?? entry.unknown.versions].flat();
  const posted = candidates.find(({ context }) => context === version.context);
  if (posted === undefined)
    throw new Error(`the context of ${where} is none that was posted: ${version.context}`);
  check(
    version.size_bytes === Buffer.byteLength(posted.html),
    `the size of ${where} is ${version.size_bytes}`,
  );
  const page = await client.get(`/p/${entry.slug}/raw?v=${number}`);
  check(page.status === 200, `${where} is answered ${page.status}`);
  const { head, rest } = splitAtInsertion(posted.html);
  check(
    page.text.startsWith(head) && page.text.endsWith(rest),
    `the html of ${where} is not what was posted`,
  );
  if (entry.versions.has(number)) return;
  // Its process may have ended before it asked for the job: the search for lost jobs, each 5 minutes, asks for it.
  const { resolves, ...others } = posted;
  if (resolves !== undefined) entry.comments.delete(resolves);
  entry.versions.set(number, others);
}

async function listAll(client: Client, token: string): Promise<WireDrop[]> {
  const drops: WireDrop[] = [];
  for (let page = 1; ; page++) {
    const { body } = await client.get(`/api/drops?pageSize=200&sortOrder=asc&page=${page}`, { token });
    drops.push(...body.data);
    if (page >= body.pagination.total_pages) return drops;
  }
}

/** From a hundred bytes to three hundred thousand, each unlike every other. */
function makeDocument(number: number): Posted {
  const size = [100, 3_000, 30_000, 300_000][number % 4] ?? 0;
  const words = `<p>document ${number} é 😀</p>`;
  const html = `<!doctype html><html><head><title>${number}</title></head><body>${words.repeat(size / 30 + 1)}</body></html>`;
  return { html, context: `why ${number}: ${'because '.repeat(number % 50)}` };
}

/** Serving adds at the end of head; all else is the document. */
function splitAtInsertion(html: string): { head: string; rest: string } {
  const at = html.indexOf('</head>');
  return { head: html.slice(0, at), rest: html.slice(at) };
}

function expectStatus(answer: Answer, status: number): void {
  check(answer.status === status, `expected ${status}, got ${answer.status}: ${answer.text}`);
}

function check(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Error(fault);
}
