import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, type Client, createPlainClient } from '../support/client.ts';
import { type Acknowledged, check, type Entry, entryOf, type Posted } from './acknowledged.ts';

/** Writes, and adds every answer to what was acknowledged. */
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
  acknowledged: Acknowledged,
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
    acknowledged.unavailable += 1;
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
    acknowledged.unknownWrites += 1;
    if (keyedAt === undefined) return onUnknown();
    isOver = true;
    acknowledged.unfinished.push(async (other) => enter(await repeat(other, request, options)));
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
        acknowledged.accepted += 1;
        current = entryOf(answer.body.slug, posted, metadata);
        acknowledged.entries.set(current.slug, current);
      },
      () => acknowledged.unknownCreates.set(mark, posted),
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
        acknowledged.accepted += 1;
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

/** From a hundred bytes to three hundred thousand, each unlike every other. */
function makeDocument(number: number): Posted {
  const size = [100, 3_000, 30_000, 300_000][number % 4] ?? 0;
  const words = `<p>document ${number} é 😀</p>`;
  const html = `<!doctype html><html><head><title>${number}</title></head><body>${words.repeat(size / 30 + 1)}</body></html>`;
  return { html, context: `why ${number}: ${'because '.repeat(number % 50)}` };
}

function expectStatus(answer: Answer, status: number): void {
  check(answer.status === status, `expected ${status}, got ${answer.status}: ${answer.text}`);
}
