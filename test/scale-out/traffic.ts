import { setTimeout as pause } from 'node:timers/promises';
import type { Acknowledged } from '../crash/acknowledged.ts';
import { createWriter } from '../crash/writer.ts';
import { type Answer, type Client, createClient, type RequestOptions } from '../support/client.ts';

/** `idle`: what needs neither server, and shows how busy the machine is. */
export type Kind = 'write' | 'view' | 'read' | 'raw' | 'idle';

/** A request and what came of it. Times are milliseconds of `performance.now()`. */
export interface Exchange {
  readonly kind: Kind;
  /** When its last byte had been handed to the system. */
  readonly sentAt: number;
  readonly endedAt: number;
  /** 0: none. */
  readonly status: number;
  /** What no answer may be, in words; null for a good one and for an honest 503. */
  readonly fault: string | null;
}

/** A public page that is viewed, and how many views were answered 200. */
export interface ViewedPage {
  readonly slug: string;
  views: number;
}

export interface Traffic {
  /** Those that are over, in the order of their ends. */
  readonly exchanges: readonly Exchange[];
  /** Since when the oldest request waits for its answer; null: none does. */
  oldestUnderWay(): number | null;
  /** Asks for nothing more, and waits for what is under way. @throws what a writer met that must not be */
  stop(): Promise<void>;
}

const writersOfWeb = 2;
const writePauseMs = 80;
const everyMs: Readonly<Record<Exclude<Kind, 'write'>, number>> = {
  raw: 20,
  idle: 40,
  view: 80,
  read: 80,
};

/** Writes, views and reads over all web processes. @param pages at least one @param sequence makes each document its own */
export function startTraffic(options: {
  urls: readonly string[];
  writer: string;
  reader: string;
  acknowledged: Acknowledged;
  pages: readonly ViewedPage[];
  sequence: () => number;
}): Traffic {
  const { urls, writer, reader, acknowledged, pages, sequence } = options;
  const clients = urls.map((url) => createClient(url));
  const exchanges: Exchange[] = [];
  const underWay = new Map<Promise<unknown>, number>();

  async function exchange(
    kind: Kind,
    client: Client,
    method: string,
    path: string,
    given: RequestOptions = {},
  ): Promise<Answer | null> {
    let sentAt = performance.now();
    const onSent = () => {
      sentAt = performance.now();
    };
    const asked = client.request(method, path, { ...given, onSent }).then(
      (answer) => ({ answer, status: answer.status, fault: faultOf(answer) }),
      (error: unknown) => ({ answer: null, status: 0, fault: String(error) }),
    );
    underWay.set(asked, sentAt);
    const { answer, status, fault } = await asked;
    underWay.delete(asked);
    const endedAt = performance.now();
    const told = fault === null ? null : `${method} ${path}: ${fault}`;
    exchanges.push({ kind, sentAt: Math.min(sentAt, endedAt), endedAt, status, fault: told });
    return answer;
  }

  /** For a writer, which continues after a 503, but not without an answer. */
  function writing(client: Client): Client {
    return {
      ...client,
      async request<T>(method: string, path: string, given?: RequestOptions) {
        await pause(writePauseMs);
        const answer = await exchange('write', client, method, path, given);
        if (answer === null) throw new Error(`no answer to ${method} ${path}`);
        return answer as Answer<T>; // proof: of the answer's body nothing was looked at
      },
    };
  }

  const writers = clients.flatMap((client) =>
    Array.from({ length: writersOfWeb }, () => createWriter(writing(client), writer, acknowledged, sequence)),
  );
  const written = Promise.allSettled(writers.map((each) => each.run()));

  const ask: Record<keyof typeof everyMs, (client: Client, page: ViewedPage) => Promise<unknown>> = {
    raw: (client, { slug }) => exchange('raw', client, 'GET', `/p/${slug}/raw`, { headers: asBrowsersDo }),
    idle: (client) => exchange('idle', client, 'GET', '/healthz'),
    async view(client, page) {
      const answer = await exchange('view', client, 'GET', `/p/${page.slug}`);
      if (answer?.status === 200) page.views += 1;
    },
    read(client, { slug }) {
      const paths = [
        `/api/drops/${slug}`,
        '/api/drops?pageSize=10',
        `/api/drops/${slug}/versions`,
        '/api/me',
      ];
      return exchange('read', client, 'GET', pick(paths, sequence()), { token: reader });
    },
  };
  const timers = (['raw', 'idle', 'view', 'read'] as const).map((kind) => {
    let count = 0;
    return setInterval(() => {
      const round = Math.floor(count / clients.length);
      void ask[kind](pick(clients, count), pick(pages, round));
      count += 1;
    }, everyMs[kind]);
  });

  return {
    exchanges,
    oldestUnderWay: () => (underWay.size === 0 ? null : Math.min(...underWay.values())),
    async stop() {
      for (const each of writers) each.stop();
      for (const timer of timers) clearInterval(timer);
      const outcomes = await written;
      while (underWay.size > 0) await Promise.all(underWay.keys());
      for (const client of clients) client.close();
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
}

const asBrowsersDo = { 'accept-encoding': 'gzip, deflate, br' };

/** What fails is to be 503 `unavailable` that says when to come again, in the envelope or in a page that has it. */
function faultOf({ status, headers, text }: Answer): string | null {
  if (status >= 200 && status < 400) return null;
  const isHonest = status === 503 && text.includes('"unavailable"') && Number(headers['retry-after']) >= 1;
  return isHonest ? null : `${status} ${headers['retry-after'] ?? 'no Retry-After'} ${text.slice(0, 300)}`;
}

/** @param items at least one */
function pick<T>(items: readonly T[], number: number): T {
  return items[number % items.length] as T; // proof: the index is below their number
}
