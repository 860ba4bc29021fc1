import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import type { Log } from '../log/log.ts';
import { type CommandObserver, notSent } from '../metrics/metrics.ts';
import { hostsOf, messageOf } from '../util/error-texts.ts';
import { withTimeout } from '../util/promises.ts';
import { commandNotSent } from './errors.ts';

const defaultDatabase = 'dropleaf';

/** How long opening may take. */
const openMs = 5_000;

/** A shorter loss of the connection is not logged. */
const unnoticedMs = 1_000;

/** The driver's time limits while a client waits for the answer. It has none for a whole operation. */
const timeLimits: ConnectOptions = {
  serverSelectionTimeoutMS: 2_000,
  connectTimeoutMS: 2_000,
  socketTimeoutMS: 2_500,
  waitQueueTimeoutMS: 2_000,
  wtimeoutMS: 2_000,
};

/** For migrations: building an index has no time limit. */
const migrationTimeLimits: ConnectOptions = { serverSelectionTimeoutMS: 4_000, connectTimeoutMS: 4_000 };

export interface Mongo {
  readonly connection: Connection;
  close(): Promise<void>;
}

interface MongoSettings {
  /** Without a database name: `dropleaf`. Its options override ours, except write concern and read preference. */
  readonly uri: string;
  /** Per server; the driver opens one more to monitor it. */
  readonly maxConnections: number;
  readonly log: Log;
  readonly isMigration?: boolean;
  /** Called for each command, with the driver's time in whole milliseconds, and for each one that was not sent. */
  readonly onCommand?: CommandObserver | undefined;
  /** After a loss of this length the client connects again from scratch. Default: 10 s. */
  readonly reconnectMs?: number;
}

/**
 * Opens a pool. A command without server, connection or answer fails in 2 to 2.5 s; the driver retries reads once.
 * @throws Error of one sentence without credentials, within 6 s
 */
export async function openMongo({
  uri,
  maxConnections,
  log,
  isMigration = false,
  onCommand,
  reconnectMs = 10_000,
}: MongoSettings): Promise<Mongo> {
  const options = optionsFor(uri, maxConnections, isMigration);
  const connection = mongoose.createConnection(uri, {
    ...options,
    ...(onCommand !== undefined && { monitorCommands: true }), // an explicit false would replace the URI's own
  });
  try {
    await withTimeout(openMs, connection.asPromise(), () => new Error('timed out'));
  } catch (error) {
    await close(connection);
    throw new Error(describeFailure(uri, error));
  }
  const client = connection.getClient();
  const stopWatching = watch(client, log, reconnectMs);
  if (onCommand !== undefined) reportCommands(connection, onCommand);
  return {
    connection,
    async close() {
      stopWatching();
      await close(connection);
    },
  };
}

/** One sentence without credentials if the driver refuses the URI; null: it does not. Asks no server. */
export function findUriFault(uri: string): string | null {
  try {
    for (const host of new mongoose.mongo.MongoClient(uri).options.hosts) host.toString();
    return null;
  } catch (error) {
    return describeInvalid(messageOf(error));
  }
}

function optionsFor(uri: string, maxConnections: number, isMigration: boolean): ConnectOptions {
  const [address = '', ...rest] = uri.split('?');
  const [, database = ''] = /^[^/]*\/\/[^/]*\/(.*)$/.exec(address) ?? [];
  const query = rest.join('?');
  const inUri = new Set([...new URLSearchParams(query).keys()].map((key) => key.toLowerCase()));
  const defaults: ConnectOptions = {
    appName: 'dropleaf',
    maxPoolSize: maxConnections,
    minPoolSize: Math.min(2, maxConnections),
    maxConnecting: 5, // with the default of 2, a burst of requests on a slow server times out
    maxIdleTimeMS: 120_000, // before firewalls drop an idle connection
    serverMonitoringMode: 'poll', // finds a silent server by the poll's timeout
    heartbeatFrequencyMS: 500,
    minHeartbeatFrequencyMS: 500,
    ...(isMigration ? migrationTimeLimits : timeLimits),
  };
  return {
    ...Object.fromEntries(Object.entries(defaults).filter(([key]) => !inUri.has(key.toLowerCase()))),
    ...(database === '' && { dbName: defaultDatabase }),
    w: 'majority',
    journal: true,
    readPreference: 'primary',
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
  };
}

/**
 * Logs losing and regaining the primary. After `reconnectMs` it reconnects until it succeeds: the driver's monitor can hang
 * on a closed socket (mongodb 7.8 waits for `drain` without a limit), as after a suspended process. @returns a function that
 * stops it
 */
function watch(client: mongoose.mongo.MongoClient, log: Log, reconnectMs: number): () => void {
  let lostAt: number | null = null;
  let isLogged = false;
  let isReconnecting = false;
  let isStopped = false;
  let servers: string[] = [];

  function onChange({ newDescription }: mongoose.mongo.TopologyDescriptionChangedEvent): void {
    const all = [...newDescription.servers.values()];
    if (all.some((server) => server.isWritable)) {
      if (isLogged) log.info({}, 'MongoDB is available again');
      isLogged = false;
      lostAt = null;
    } else {
      lostAt ??= Date.now();
      if (all.length > 0)
        servers = all.map(({ address, error }) => `${address}: ${error?.message ?? 'no primary'}`);
    }
  }

  function check(): void {
    if (lostAt === null) return;
    const lostMs = Date.now() - lostAt;
    if (lostMs >= unnoticedMs && !isLogged) {
      isLogged = true;
      log.warn({ servers }, 'MongoDB is unavailable');
    }
    if (lostMs >= reconnectMs && !isReconnecting) void reconnect();
  }

  async function reconnect(): Promise<void> {
    isReconnecting = true;
    try {
      await client.close();
      if (!isStopped) await client.connect();
      if (isStopped) await client.close();
    } catch (err) {
      log.debug({ err }, 'MongoDB is still unavailable');
    }
    isReconnecting = false;
  }

  client.on('topologyDescriptionChanged', onChange);
  const timer = setInterval(check, 500).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
    client.off('topologyDescriptionChanged', onChange);
  };
}

function reportCommands(connection: Connection, onCommand: CommandObserver): void {
  const client = connection.getClient();
  const fail = () => onCommand(notSent, null, true);
  onCommand(notSent, null, false); // shown as 0 from the start
  connection.on(commandNotSent, fail);
  client.on('connectionCheckOutFailed', fail); // the driver sends a read again
  client.on('commandSucceeded', ({ commandName, duration }) =>
    onCommand(commandName, duration / 1_000, false),
  );
  client.on('commandFailed', ({ commandName, duration }) => onCommand(commandName, duration / 1_000, true));
}

/** A server that does not answer cannot delay this for more than 1 s. */
async function close(connection: Connection): Promise<void> {
  const closed = connection.destroy(true);
  await withTimeout(1_000, closed, () => new Error('timed out')).catch(() => undefined);
}

/** Codes AuthenticationFailed, Unauthorized and AtlasError. */
const authCodes = new Set<unknown>([18, 13, 8_000]);

/** The one message of the parser that repeats a credential ends with the user name. */
function describeInvalid(message: string): string {
  return `MONGODB_URI is invalid: ${message.replace(/^(Username contains unescaped characters).*/s, '$1')}`;
}

/** One sentence for the operator, without credentials. Exported for tests. */
export function describeFailure(uri: string, error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (/^Mongo(Parse|API|InvalidArgument)Error$/.test(name)) return describeInvalid(message);
  const server = `MongoDB at ${hostsOf(uri)}`;
  if (error instanceof mongoose.mongo.MongoError && authCodes.has(error.code)) {
    return `${server} refuses the user name or password in MONGODB_URI`;
  }
  // A server selection error has the reason with each server.
  const { reason } = error as { reason?: { servers?: unknown } }; // proof: any object may be read so
  const servers = reason?.servers instanceof Map ? [...reason.servers.values()] : [];
  const messages = servers.map((each) => each.error?.message).filter((text) => typeof text === 'string');
  const why = [...new Set(messages.length > 0 ? messages : [message])].join('; ').replace(/\s+/g, ' ');
  return `${server} cannot be reached (${why}): check MONGODB_URI, TLS, and that MongoDB runs there`;
}
