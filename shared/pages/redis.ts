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
export class RedisPageChanges implements PageChanges {
  readonly now: () => number;
  readonly confirmEveryMs = confirmEveryMs;
  readonly #redis: Redis;
  readonly #registry: ProcessRegistry;
  readonly #onLateNotice: (error: unknown) => void;
  readonly #id = randomUUID();
  readonly #channel: string;
  readonly #listeners: ((slug: string) => void)[] = [];
  readonly #unconfirmed = new Map<number, (processId: string) => void>();
  #lastNotice = 0;
  #subscriber: Client | null = null;
  #subscribing: Promise<unknown> | null = null;

  /** Pages read since then may be used, until `maxAgeMs` after `#renewedAt`. */
  #registeredSince = Number.POSITIVE_INFINITY;
  /** When the last successful renewal began. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #usedAt = Number.NEGATIVE_INFINITY;
  #renewing: Promise<void> | null = null;
  #lastRenewal: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor({ redis, registry, onLateNotice, now = () => performance.now() }: Options) {
    this.#redis = redis;
    this.#registry = registry;
    this.#onLateNotice = onLateNotice;
    this.#channel = `${redis.keyPrefix}page-changes`;
    this.now = now;
  }

  async publish(...slugs: readonly string[]): Promise<void> {
    const deadline = this.now() + waitMs;
    const notices = slugs.map((slug): Notice => ({ slug, from: this.#id, n: ++this.#lastNotice }));
    for (const slug of slugs) this.#notify(slug);
    try {
      const late = () => new Error('not every process has confirmed a change');
      const registered = this.#listOthers(); // one read for all of them
      const confirmed = Promise.all(notices.map((notice) => this.#confirmations(notice, registered)));
      await withTimeout(waitMs, confirmed, late);
    } catch (error) {
      this.#onLateNotice(withoutCommand(error));
      await pause(Math.max(0, deadline - this.now()));
    } finally {
      for (const { n } of notices) this.#unconfirmed.delete(n);
    }
  }

  subscribe(listener: (slug: string) => void): void {
    this.#listeners.push(listener);
  }

  isCurrent(asOf: number): boolean {
    const at = this.now();
    this.#usedAt = at;
    if (this.#renewing === null && !this.#isClosed) {
      this.#renewing = this.#stayRegistered().finally(() => {
        this.#renewing = null;
      });
    }
    const isRegistered = at - this.#renewedAt < maxAgeMs && asOf >= this.#registeredSince;
    return !this.#isClosed && at - asOf < maxAgeMs && isRegistered;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#lastRenewal; // it would register the process again
    const isRegistered = Number.isFinite(this.#renewedAt);
    if (isRegistered) await this.#registry.remove(this.#id).catch(() => undefined); // it expires by itself
    this.#subscriber?.disconnect();
  }

  #notify(slug: string): void {
    for (const listener of this.#listeners) listener(slug);
  }

  #confirmationsOf(process: string): string {
    return `${this.#channel}:${process}`;
  }

  /** Subscribes again after a loss, because ioredis would not handle a refusal. Rejects while Redis is away. */
  #receiveNotices(): Promise<unknown> {
    this.#subscriber ??= this.#connect();
    const channels = [this.#channel, this.#confirmationsOf(this.#id)];
    this.#subscribing ??= this.#subscriber.subscribe(...channels).catch((error: unknown) => {
      this.#subscribing = null;
      throw error;
    });
    return this.#subscribing;
  }

  #connect(): Client {
    const options = { socketTimeout: 1_500, autoResubscribe: false, maxRetriesPerRequest: 0 };
    const subscriber = this.#redis.duplicate(options);
    subscriber.on('close', () => {
      this.#subscribing = null;
    });
    subscriber.on('message', (at: string, message: string) => this.#receive(at, message));
    return subscriber;
  }

  #receive(at: string, message: string): void {
    if (at !== this.#channel) {
      const [n = '', processId = ''] = message.split(' ');
      this.#unconfirmed.get(Number(n))?.(processId);
      return;
    }
    const { slug, from, n } = JSON.parse(message) as Notice; // proof: only `#confirmations` writes to the channel
    if (from === this.#id) return;
    this.#notify(slug);
    // If it is lost, the other process waits `waitMs`.
    this.#redis.client.publish(this.#confirmationsOf(from), `${n} ${this.#id}`).catch(() => undefined);
  }

  /** Registers, and renews the registration until the process is idle or closes. */
  async #stayRegistered(): Promise<void> {
    while (!this.#isClosed && this.now() - this.#usedAt < idleMs) {
      // A failure is logged by the connection, and the next round tries again.
      await waitAtMost(subscribeMs, this.#receiveNotices()).catch(() => undefined);
      if (this.#isClosed) return;
      this.#lastRenewal = this.#renew().catch(() => undefined);
      await this.#lastRenewal;
      // Finds a connection that is lost without a sign (`socketTimeout`).
      if (this.#subscriber?.status === 'ready') this.#subscriber.ping().catch(() => undefined);
      await pause(renewEveryMs, undefined, { ref: false });
    }
  }

  async #renew(): Promise<void> {
    const begun = this.now();
    await this.#registry.renew(this.#id, registrationMs);
    const done = this.now();
    // After an expired registration, changes did not wait. Half of the time is for database clocks that differ.
    if (done - this.#renewedAt >= registrationMs / 2) this.#registeredSince = done;
    this.#renewedAt = begun;
  }

  /** The other registered processes. */
  async #listOthers(): Promise<string[]> {
    return (await this.#registry.list()).filter((processId) => processId !== this.#id);
  }

  /** Resolves when the other registered processes have confirmed. @throws if the registry or Redis fails */
  async #confirmations(notice: Notice, registered: Promise<string[]>): Promise<void> {
    const confirmed = new Set<string>();
    let check = (): void => undefined;
    this.#unconfirmed.set(notice.n, (processId) => {
      confirmed.add(processId);
      check();
    });
    const text = JSON.stringify(notice);
    const sent = this.#receiveNotices().then(() => this.#redis.client.publish(this.#channel, text));
    sent.catch(() => undefined); // also if it is not awaited below
    const others = await registered;
    if (others.length === 0) return;
    await sent;
    await new Promise<void>((resolve) => {
      check = () => others.every((processId) => confirmed.has(processId)) && resolve();
      check();
    });
  }
}
