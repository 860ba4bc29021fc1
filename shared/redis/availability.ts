import type { Redis as Client } from 'ioredis';
import type { Log } from '../log/log.ts';
import { findMisconfiguration } from './errors.ts';

/** How often a replica is asked whether it is one still. */
const roleEveryMs = 1_000;
/** A server that does not tell its role is available again if it has refused no write for so long. */
const quietMs = 5_000;

/**
 * Logs once each that Redis is unavailable, with the cause, and that it is available again. A replica accepts connections, but
 * no writes: it is unavailable until it is a primary. No error object is logged, because its command may contain a password.
 */
export class Availability {
  readonly #server: string;
  readonly #log: Log;
  #isStopped = false;
  #isLost = false;
  #reason = 'connection closed';
  /** When it last refused a write as a replica; null: it is none. */
  #refusedAt: number | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param server `host:port` */
  constructor(server: string, log: Log) {
    this.#server = server;
    this.#log = log;
  }

  watch(client: Client): void {
    client.on('ready', () => {
      this.#reason = 'connection closed';
      if (this.#refusedAt === null) this.#noteReturn();
    });
    client.on('close', () => this.#noteLoss());
    client.on('error', (error: Error) => {
      const fault = findMisconfiguration(error, this.#server);
      const isNew = fault !== null && fault !== this.#reason;
      if (isNew && this.#isLost && !this.#isStopped) this.#log.error({ redis: this.#server }, fault);
      this.#reason = fault ?? ('code' in error ? String(error.code) : error.message);
    });
  }

  /** A connection of this process was refused a write. @param client is asked for the role */
  noteReadOnly(client: Client): void {
    this.#reason = 'READONLY: the server is a replica and refuses writes';
    this.#noteLoss();
    this.#refusedAt = performance.now();
    if (this.#isStopped) return;
    this.#timer ??= setInterval(() => void this.#askRole(client), roleEveryMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  async #askRole(client: Client): Promise<void> {
    if (client.status !== 'ready') return;
    const info = await client.info('replication').catch(() => ''); // a user may not be allowed to ask
    const isSilent = performance.now() - (this.#refusedAt ?? 0) >= quietMs;
    if (this.#isStopped || client.status !== 'ready') return;
    const role = /^role:(\w+)/m.exec(info)?.[1];
    if (role === 'slave' || role === 'replica' || (role === undefined && !isSilent)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#refusedAt = null;
    this.#noteReturn();
  }

  #noteLoss(): void {
    const fields = { redis: this.#server, reason: this.#reason };
    if (!this.#isLost && !this.#isStopped)
      this.#log.warn(fields, 'Redis is unavailable; the service continues without it');
    this.#isLost = true;
  }

  #noteReturn(): void {
    if (this.#isLost) this.#log.info({ redis: this.#server }, 'Redis is available again');
    this.#isLost = false;
  }
}
