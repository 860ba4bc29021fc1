import { Redis as Client, type RedisOptions } from 'ioredis';
import type { Log } from '../../ports/log.ts';
import { readRedisUrl } from './address.ts';
import { findMisconfiguration, isDemoted } from './faults.ts';
import { type ConnectionWatch, leaveWrongDatabase, watchConnection } from './watch.ts';

/** The oldest Redis that has all that BullMQ and our scripts use. */
const oldestVersion: readonly [number, number] = [6, 2];

export interface RedisSettings {
  /** `redis://…` or `rediss://…` with credentials: shown to nobody. */
  readonly url: string;
  /** What the names of all keys begin with. */
  readonly prefix: string;
  /** Whether a certificate that is not trusted ends a `rediss://` connection. */
  readonly rejectUnauthorized: boolean;
  readonly log: Log;
  /** Whether Redis must be there at the start. Without: the start goes on, and the connection follows. */
  readonly requireUp?: boolean;
  /** How long the start waits for Redis; unset: 3 s. */
  readonly waitMs?: number;
}

/** What may differ from one connection for jobs to the other. */
export type JobConnectionOptions = Pick<
  RedisOptions,
  | 'autoResendUnfulfilledCommands'
  | 'blockingTimeout'
  | 'commandTimeout'
  | 'connectionName'
  | 'enableOfflineQueue'
  | 'lazyConnect'
  | 'maxRetriesPerRequest'
  | 'socketTimeout'
>;

export interface Redis {
  /**
   * For commands that are answered at once. Each is sent once at most: rejected at once while the connection is
   * down, after 1 s without an answer, and when the connection ends before the answer. In the last two cases it
   * may have been carried out.
   */
  readonly client: Client;

  /** `{prefix}:`, with which each key begins; the braces keep them all on one node of a cluster. */
  readonly keyPrefix: string;

  /** `{prefix}`, the same for BullMQ, which puts the colon itself. */
  readonly jobPrefix: string;

  /** `host:port`, for logs. */
  readonly server: string;

  /** Whether commands are sent. A server that has gone silent is noticed after 1.5 s. */
  isUp(): boolean;

  /** Calls the listener each time the connection is up: now, if it is, and whenever it is back. The answer ends that. */
  onReady(listener: () => void): () => void;

  /**
   * One more connection to the same server for BullMQ, which waits for the server as long as it takes: no limit of
   * retries, no time-outs of commands, since its workers' commands wait for work. It connects by itself, goes on
   * trying for ever, and logs no errors; whoever asked for it closes it.
   */
  duplicateForJobs(changes?: JobConnectionOptions): Client;

  /** Lets the commands under way end, for 1 s at most, and disconnects. Not what `duplicateForJobs` gave. */
  close(): Promise<void>;
}

/**
 * Connects to Redis, for as long as the process lives: a lost connection is tried again at least every 2 s.
 * @throws Error of one sentence, without credentials, for what waiting does not mend: an address that is none, a
 *   refused password or certificate, a database that is not there, a server that is no Redis or older than 6.2;
 *   with `requireUp` also when it cannot be reached
 */
export async function openRedis(settings: RedisSettings): Promise<Redis> {
  const address = readRedisUrl(settings.url, settings.rejectUnauthorized);
  const server = address.shown;
  const shared = { ...address.options, ...steadyOptions };
  const client = new Client({ ...shared, ...onceOptions, lazyConnect: true });
  const watch = watchConnection(client, server, settings.log);

  try {
    const isUp = await connect(client, server, watch, settings.waitMs ?? 3_000);
    if (isUp) refuseOldServer(await readVersion(client), server);
    else if (settings.requireUp) {
      throw new Error(`Redis at ${server} could not be reached${watch.lastReason()}.`);
    }
  } catch (error) {
    watch.stop();
    client.disconnect();
    throw error;
  }

  return {
    client,
    keyPrefix: `{${settings.prefix}}:`,
    jobPrefix: `{${settings.prefix}}`,
    server,
    isUp: () => client.status === 'ready',
    onReady: watch.onReady,
    duplicateForJobs(changes = {}) {
      const duplicate = new Client({ ...shared, maxRetriesPerRequest: null, ...changes });
      // Nothing is logged here: the one above leads to the same server, and is watched.
      duplicate.on('error', (error) => leaveWrongDatabase(duplicate, error));
      return duplicate;
    },
    async close() {
      watch.stop();
      if (client.status === 'ready') await client.quit().catch(() => undefined); // late or gone: disconnected below
      client.disconnect();
    },
  };
}

/** For every connection. */
const steadyOptions = {
  protocol: 2, // AUTH instead of HELLO, which some servers repeat in their errors, password and all
  disableClientInfo: true,
  connectTimeout: 2_000,
  disconnectTimeout: 200,
  keepAlive: 10_000,
  maxLoadingRetryTime: 1_000,
  retryStrategy: (times: number) => Math.min(100 * 2 ** Math.min(times - 1, 4), 1_500) + Math.random() * 400,
  reconnectOnError: (error: Error) => isDemoted(error),
} satisfies RedisOptions;

/** For commands that are sent once at most. With a retry allowed, ioredis repeats what may have been carried out. */
const onceOptions = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0, // when the connection ends, what waits for an answer is rejected
  commandTimeout: 1_000,
  socketTimeout: 1_500, // nothing heard for so long while something waits: dropped, and connected anew
} satisfies RedisOptions;

/** Whether it is connected within the time. @throws Error for what waiting does not mend */
async function connect(
  client: Client,
  server: string,
  watch: ConnectionWatch,
  waitMs: number,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(() => resolve(false)), waitMs);
    const stopListening = watch.onReady(() => finish(() => resolve(true)));
    const onError = (error: Error) => {
      const fault = findMisconfiguration(error, server);
      if (fault !== null) finish(() => reject(new Error(fault)));
    };
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      stopListening();
      client.off('error', onError);
      settle();
    };
    client.on('error', onError);
    client.connect().catch(() => undefined); // told by the events
  });
}

/** Null where the server does not tell, or not now. */
async function readVersion(client: Client): Promise<string | null> {
  const info = await client.info('server').catch(() => null); // a user may be denied it
  return info?.match(/^redis_version:(\S+)/m)?.[1] ?? null;
}

function refuseOldServer(version: string | null, server: string): void {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  if (version === null || major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(
    `Redis at ${server} is too old (${version}): ${oldestVersion.join('.')} or newer is needed.`,
  );
}
