import mongoose, { type Connection, type ConnectOptions } from 'mongoose';
import type { Log } from '../../ports/log.ts';
import { withTimeout } from '../../util/wait-at-most.ts';
import { bounds, patience } from './bounds.ts';
import { translated } from './errors.ts';
import { tellFailure } from './open-failure.ts';
import { watchConnection } from './watch-connection.ts';
import { watchHeartbeats } from './watch-heartbeats.ts';

/** Where the operator names no database. */
const defaultDatabase = 'dropleaf';

/** How long opening may take, whatever is wrong. */
const openMs = 5_000;

/** Connected to one database. */
export interface Mongo {
  readonly connection: Connection;
  /** Asks the server for a sign of life. @throws DropError `unavailable` within 3 s */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects, on a connection of its own. Nothing waits without a bound: a command that finds no server, no free
 * connection or no answer fails in 2 to 2.5 s. The driver sends a read that failed so once more, in as long again;
 * `translated` bounds what a caller waits for.
 * @param uri its database, else `dropleaf`. Its options win over ours for time-outs, pool, retries, TLS and the
 *   like; what keeps data right does not give way: majority and journal for writes, the primary for reads.
 * @param maxConnections for each server, besides one that watches it
 * @param patient a command may take for ever, as building an index does
 * @throws Error that says in one sentence what could not be reached and why, without credentials, within 6 s
 */
export async function openMongo(deps: {
  uri: string;
  maxConnections: number;
  log: Log;
  patient?: boolean;
}): Promise<Mongo> {
  const { uri, maxConnections, log, patient = false } = deps;
  const connection = mongoose.createConnection(uri, optionsFor(uri, maxConnections, patient));
  try {
    await withTimeout(openMs, connection.asPromise(), () => new Error('it did not answer in time'));
  } catch (error) {
    await close(connection);
    throw new Error(tellFailure(uri, error));
  }
  const client = connection.getClient();
  const stopWatching = watchConnection(client, log);
  const heartbeats = watchHeartbeats(client, log);
  const timer = setInterval(() => void heartbeats.check(), 1_000);
  timer.unref();
  const { ping } = translated(3_000, { ping: () => sendPing(connection) });
  return {
    connection,
    ping,
    async close() {
      clearInterval(timer);
      heartbeats.stop();
      stopWatching();
      await close(connection);
    },
  };
}

function optionsFor(uri: string, maxConnections: number, patient: boolean): ConnectOptions {
  const [, database = '', query = ''] = /^[^/]*\/\/[^/?]*\/?([^?]*)\??(.*)$/.exec(uri) ?? [];
  const inUri = new Set([...new URLSearchParams(query).keys()].map((key) => key.toLowerCase()));
  const preferences: ConnectOptions = {
    appName: 'dropleaf',
    maxPoolSize: maxConnections,
    minPoolSize: Math.min(2, maxConnections),
    maxConnecting: 5, // a burst that meets a slow server would wait in vain for two at a time
    maxIdleTimeMS: 120_000, // before firewalls forget it without a word
    // Polled: a silent server is noticed after a poll and its time-out, and found again as fast.
    serverMonitoringMode: 'poll',
    heartbeatFrequencyMS: 500,
    // The same: a look between two polls may hang for good (watch-heartbeats.ts).
    minHeartbeatFrequencyMS: 500,
    ...(patient ? patience : bounds),
  };
  const given = Object.entries(preferences).filter(([key]) => !inUri.has(key.toLowerCase()));
  return {
    ...Object.fromEntries(given),
    ...(database === '' && { dbName: defaultDatabase }),
    w: 'majority',
    journal: true,
    readPreference: 'primary',
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
  };
}

async function sendPing(connection: Connection): Promise<void> {
  await connection.getClient().db(connection.name).command({ ping: 1 });
}

/** Whatever goes wrong in it: the connection is given up, and a server that is silent ends it by its time-outs. */
async function close(connection: Connection): Promise<void> {
  const closed = connection.destroy(true);
  await withTimeout(1_000, closed, () => new Error('not in time')).catch(() => undefined);
}
