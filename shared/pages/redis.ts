import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis as Client } from 'ioredis';
import type { Redis } from '../redis/connection.ts';
import { withoutCommand } from '../redis/errors.ts';
import { waitAtMost, withTimeout } from '../util/promises.ts';
import type { PageChanges, ProcessRegistry } from './page-changes.ts';

/** How long a page may be served from memory after the read that found it began, if every notice is lost. */
const maxAgeMs = 1_000;
/** How long a change waits for processes that do not confirm its notice: by then their pages have exceeded `maxAgeMs`. */
const waitMs = 1_100;
/** A process that has not renewed its registration for `maxAgeMs` uses no page in memory; its registration lasts longer. */
const registrationMs = maxAgeMs + 3_000;
const renewEveryMs = 300;
/** A process that serves no pages for this time stops renewing its registration. */
const idleMs = 10_000;
/** How long a process waits for its subscription before it registers. */
const subscribeMs = 200;
/** A page in use is confirmed again before it exceeds `maxAgeMs`, if the database answers within 0.35 s. */
const confirmEveryMs = 300;

interface Options {
  readonly redis: Redis;
  readonly registry: ProcessRegistry;
  /** Called if a change had to wait `waitMs`. */
  readonly onLateNotice: (error: unknown) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** A notice, as JSON. The processes confirm it with `<n> <their id>` in the channel of `from`. */
interface Notice {
  readonly slug: string;
  readonly from: string;
  readonly n: number;
}

/**
 * Notices over Redis; registrations in the database. Without Redis a change waits `waitMs`. A process uses its memory only while
 * it is registered, and of that only what it has read since its registration began: if the list that a change reads after its
 * commit lacks a process, that one serves nothing older than the change.
 */
export function createRedisPageChanges(options: Options): PageChanges & { close(): Promise<void> } {
  const { redis, registry, onLateNotice, now = () => performance.now() } = options;
  const id = randomUUID();
  const channel = `${redis.keyPrefix}page-changes`;
  const confirmationsOf = (process: string) => `${channel}:${process}`;
  const listeners: ((slug: string) => void)[] = [];
  const unconfirmed = new Map<number, (processId: string) => void>();
  let lastNotice = 0;
  let subscriber: Client | null = null;
  let subscribing: Promise<unknown> | null = null;

  /** Pages read since then may be used, until `maxAgeMs` after `renewedAt`. */
  let registeredSince = Number.POSITIVE_INFINITY;
  /** When the last successful renewal began. */
  let renewedAt = Number.NEGATIVE_INFINITY;
  let usedAt = Number.NEGATIVE_INFINITY;
  let renewing: Promise<void> | null = null;
  let lastRenewal: Promise<void> = Promise.resolve();
  let isClosed = false;

  function notify(slug: string): void {
    for (const listener of listeners) listener(slug);
  }

  /** Subscribes again after a loss, because ioredis would not handle a refusal. Rejects while Redis is away. */
  function subscribe(): Promise<unknown> {
    if (subscriber === null) {
      subscriber = redis.duplicate({ socketTimeout: 1_500, autoResubscribe: false, maxRetriesPerRequest: 0 });
      subscriber.on('close', () => {
        subscribing = null;
      });
      subscriber.on('message', (at: string, message: string) => receive(at, message));
    }
    subscribing ??= subscriber.subscribe(channel, confirmationsOf(id)).catch((error: unknown) => {
      subscribing = null;
      throw error;
    });
    return subscribing;
  }

  function receive(at: string, message: string): void {
    if (at !== channel) {
      const [n = '', processId = ''] = message.split(' ');
      unconfirmed.get(Number(n))?.(processId);
      return;
    }
    const { slug, from, n } = JSON.parse(message) as Notice; // proof: only `confirmations` writes to the channel
    if (from === id) return;
    notify(slug);
    // If it is lost, the other process waits `waitMs`.
    redis.client.publish(confirmationsOf(from), `${n} ${id}`).catch(() => undefined);
  }

  /** Registers, and renews the registration until the process is idle or closes. */
  async function stayRegistered(): Promise<void> {
    while (!isClosed && now() - usedAt < idleMs) {
      // A failure is logged by the connection, and the next round tries again.
      await waitAtMost(subscribeMs, subscribe()).catch(() => undefined);
      if (isClosed) return;
      lastRenewal = renew().catch(() => undefined);
      await lastRenewal;
      // Finds a connection that is lost without a sign (`socketTimeout`).
      if (subscriber?.status === 'ready') subscriber.ping().catch(() => undefined);
      await pause(renewEveryMs, undefined, { ref: false });
    }
  }

  async function renew(): Promise<void> {
    const begun = now();
    await registry.renew(id, registrationMs);
    const done = now();
    // After an expired registration, changes did not wait. Half of the time is for database clocks that differ.
    if (done - renewedAt >= registrationMs / 2) registeredSince = done;
    renewedAt = begun;
  }

  /** The other registered processes. */
  async function listOthers(): Promise<string[]> {
    return (await registry.list()).filter((processId) => processId !== id);
  }

  /** Resolves when the other registered processes have confirmed. @throws if the registry or Redis fails */
  async function confirmations(notice: Notice, registered: Promise<string[]>): Promise<void> {
    const confirmed = new Set<string>();
    let check = (): void => undefined;
    unconfirmed.set(notice.n, (processId) => {
      confirmed.add(processId);
      check();
    });
    const sent = subscribe().then(() => redis.client.publish(channel, JSON.stringify(notice)));
    sent.catch(() => undefined); // also if it is not awaited below
    const others = await registered;
    if (others.length === 0) return;
    await sent;
    await new Promise<void>((resolve) => {
      check = () => others.every((processId) => confirmed.has(processId)) && resolve();
      check();
    });
  }

  return {
    async publish(...slugs) {
      const deadline = now() + waitMs;
      const notices = slugs.map((slug): Notice => ({ slug, from: id, n: ++lastNotice }));
      for (const slug of slugs) notify(slug);
      try {
        const late = () => new Error('not every process has confirmed a change');
        const registered = listOthers(); // one read for all of them
        const confirmed = Promise.all(notices.map((notice) => confirmations(notice, registered)));
        await withTimeout(waitMs, confirmed, late);
      } catch (error) {
        onLateNotice(withoutCommand(error));
        await pause(Math.max(0, deadline - now()));
      } finally {
        for (const { n } of notices) unconfirmed.delete(n);
      }
    },

    subscribe: (listener) => void listeners.push(listener),

    isCurrent(asOf) {
      const at = now();
      usedAt = at;
      if (renewing === null && !isClosed) {
        renewing = stayRegistered().finally(() => {
          renewing = null;
        });
      }
      return !isClosed && at - asOf < maxAgeMs && at - renewedAt < maxAgeMs && asOf >= registeredSince;
    },

    now,
    confirmEveryMs,

    async close(): Promise<void> {
      isClosed = true;
      await lastRenewal; // it would register the process again
      if (Number.isFinite(renewedAt)) await registry.remove(id).catch(() => undefined); // it expires by itself
      subscriber?.disconnect();
    },
  };
}
