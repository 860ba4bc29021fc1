import { isIP } from 'node:net';
import { Redis as Client, type RedisOptions } from 'ioredis';
import { unavailable } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import { type CommandObserver, notSent } from '../metrics/metrics.ts';
import { Availability } from './availability.ts';
import { findMisconfiguration, isDemoted, isOutOfMemory, isReadOnly, toDropError } from './errors.ts';

/** BullMQ and our scripts need it; Ubuntu 22.04 has 6.0. */
const oldestVersion = '6.2';

export interface RedisSettings {
  /** `redis://user:password@host:port/database` or `rediss://…`. */
  readonly url: string;
  /** Prefix of all keys. */
  readonly prefix: string;
  /** false: a `rediss://` server may have a self-signed certificate. */
  readonly rejectUnauthorized: boolean;
  readonly log: Log;
  /** Called for each command of the process's own connection; those of `duplicate` wait for jobs and messages. */
  readonly onCommand?: CommandObserver | undefined;
  /** Called for each write that the server refuses because its memory is full. */
  readonly onOutOfMemory?: () => void;
  /** How long to wait for the first connection. Default: 3 s. */
  readonly waitMs?: number;
}

export interface Redis {
  /**
   * Sends each command at most once. Rejects at once while disconnected, and after 1 s or a lost connection: it may have run.
   */
  readonly client: Client;

  /** `{prefix}:`, the start of each key; the braces keep all keys on one node of a cluster. */
  readonly keyPrefix: string;

  /** `{prefix}`: BullMQ adds the colon. */
  readonly jobPrefix: string;

  /** `host:port`, for logs. */
  readonly server: string;

  /** Whether commands are sent. A server that stops answering is noticed after 1.5 s. */
  isUp(): boolean;

  /** Calls the listener now if the connection is up, and after each reconnection. @returns a function that removes the listener */
  onReady(listener: () => void): () => void;

  /** For commands that would wait until Redis is back. @throws DropError `unavailable` while it is away, and counts that */
  requireUp(message: string): void;

  /** DropError `unavailable` if Redis is unavailable, else the error without its command. Reports a full memory. */
  explain(error: unknown): unknown;

  /**
   * For workers and subscriptions: no limit of retries; time limits as in `changes`. Logs no errors; the caller closes it.
   */
  duplicate(
    changes?: Pick<RedisOptions, 'socketTimeout' | 'autoResubscribe' | 'maxRetriesPerRequest'>,
  ): Client;

  /** Waits 1 s at most for pending commands. Connections of `duplicate` stay open. */
  close(): Promise<void>;
}

/** For every connection. */
const commonOptions = {
  protocol: 2, // AUTH instead of HELLO: some servers repeat HELLO's arguments, with the password, in errors
  disableClientInfo: true,
  connectTimeout: 2_000,
  disconnectTimeout: 200,
  keepAlive: 10_000,
  maxLoadingRetryTime: 1_000,
  retryStrategy: (times: number) => Math.min(100 * 2 ** Math.min(times - 1, 4), 1_500) + Math.random() * 400,
} satisfies RedisOptions;

/** For commands that are sent at most once: with a retry, ioredis may repeat an executed command. */
const onceOptions = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 1_000,
  socketTimeout: 1_500,
} satisfies RedisOptions;

/**
 * Connects to Redis, and again at least every 2 s after a loss. Without a server it resolves after `waitMs`.
 * @throws Error of one sentence without credentials if retrying does not help: invalid URL, refused password or certificate,
 * unknown database number, another kind of server, or Redis before 6.2
 */
export async function openRedis(settings: RedisSettings): Promise<Redis> {
  const { server, options: fromUrl } = readUrl(settings);
  const availability = new Availability(server, settings.log);
  const options = {
    ...fromUrl,
    reconnectOnError(error: Error): boolean {
      if (isReadOnly(error)) availability.noteReadOnly(client);
      return isDemoted(error);
    },
  };
  const client: Client = new Client(settings.url, { ...options, ...onceOptions, lazyConnect: true });
  const listeners = new Set<() => void>();
  client.on('ready', () => {
    for (const listener of [...listeners]) listener();
  });
  availability.watch(client);
  const isUp = () => client.status === 'ready';
  if (settings.onCommand !== undefined) reportCommands(client, settings.onCommand);

  try {
    await connect(client, server, settings.waitMs ?? 3_000);
    if (isUp()) await refuseOldServer(client, server);
  } catch (error) {
    availability.stop();
    client.disconnect();
    throw error;
  }

  return {
    client,
    keyPrefix: `{${settings.prefix}}:`,
    jobPrefix: `{${settings.prefix}}`,
    server,
    isUp,
    requireUp(message) {
      if (isUp()) return;
      settings.onCommand?.(notSent, null, true);
      throw unavailable(message);
    },
    onReady(listener) {
      listeners.add(listener);
      if (isUp()) listener();
      return () => listeners.delete(listener);
    },
    explain(error) {
      if (isOutOfMemory(error)) settings.onOutOfMemory?.();
      return toDropError(error);
    },
    duplicate(changes = {}) {
      const client = new Client(settings.url, { ...options, maxRetriesPerRequest: null, ...changes });
      return client.on('error', () => undefined); // the connection above logs for all
    },
    async close() {
      availability.stop();
      listeners.clear();
      if (isUp()) await client.quit().catch(() => undefined);
      client.disconnect();
    },
  };
}

/** ioredis's own tracing channels would copy the arguments of each command as text. */
function reportCommands(client: Client, onCommand: CommandObserver): void {
  const send = client.sendCommand.bind(client);
  onCommand(notSent, null, false); // shown as 0 from the start
  client.sendCommand = (command, stream) => {
    const startedAt = performance.now();
    const end = (isFailed: boolean) =>
      onCommand(command.name, (performance.now() - startedAt) / 1_000, isFailed);
    command.promise.then(
      () => end(false),
      () => end(true),
    );
    return send(command, stream);
  };
}

/** One sentence without credentials if the URL is not one of Redis; null: it is. */
export function findUrlFault(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isValid =
    parsed !== null && /^rediss?:$/.test(parsed.protocol) && /^(\/\d{0,9})?$/.test(parsed.pathname);
  if (isValid && parsed.hostname !== '' && !/%(?![\da-f]{2})/i.test(parsed.username + parsed.password))
    return null;
  return 'REDIS_URL must be like redis://user:password@host:6379/0 or rediss://…, with special characters percent-encoded';
}

/** ioredis itself reads user, password and database from the URL. */
function readUrl({ url, rejectUnauthorized }: RedisSettings) {
  const fault = findUrlFault(url);
  if (fault !== null) throw new Error(fault);
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const servername = isIP(host) === 0 ? host : ''; // RFC 6066, section 3: no addresses
  const tls = protocol === 'rediss:' ? { tls: { servername, rejectUnauthorized } } : {};
  return { server: `${hostname}:${port || 6379}`, options: { ...commonOptions, ...tls } };
}

/** Waits for the connection, but not longer than `waitMs`. @throws Error for a misconfiguration */
function connect(client: Client, server: string, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(resolve), waitMs);
    const onReady = () => finish(resolve);
    const onError = (error: Error) => {
      const fault = findMisconfiguration(error, server);
      if (fault !== null) finish(() => reject(new Error(fault)));
    };
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      client.off('ready', onReady).off('error', onError);
      settle();
    };
    client.on('ready', onReady).on('error', onError);
    client.connect().catch(() => undefined); // the events say so
  });
}

/** @throws Error if the server says that it is too old; a user may not be allowed to ask */
async function refuseOldServer(client: Client, server: string): Promise<void> {
  const info = await client.info('server').catch(() => '');
  const version = /^redis_version:(\S+)/m.exec(info)?.[1] ?? oldestVersion;
  if (version.localeCompare(oldestVersion, 'en', { numeric: true }) < 0) {
    throw new Error(`Redis at ${server} is version ${version}; Dropleaf needs ${oldestVersion} or newer`);
  }
}
