import type { mongo } from 'mongoose';
import type { Log } from '../../ports/log.ts';

/** What is used of the driver's client. */
export type Heartbeats = Pick<mongo.MongoClient, 'on' | 'off' | 'connect' | 'close'> & {
  readonly options: Pick<mongo.MongoOptions, 'connectTimeoutMS' | 'heartbeatFrequencyMS'>;
};

export interface HeartbeatWatch {
  /** To be called each second. Does nothing while it connects. */
  check(): Promise<void>;
  stop(): void;
}

/** More than the driver allows a look at a server: a connection, a handshake, and a pause where it waits for news. */
const spareChecks = 1;

/**
 * Connects anew where the driver no longer looks at a server. Its look can hang for good: on a connection that the
 * server has just ended, Node's socket takes no data, tells of no error, and the driver waits for its `drain` without
 * a bound (mongodb 7.8, `Connection.writeCommand`). A server that was lost would then be lost until a restart.
 * The settings of heartbeats in connection.ts make that rare; after a process was suspended it still happens.
 */
export function watchHeartbeats(client: Heartbeats, log: Log): HeartbeatWatch {
  const { connectTimeoutMS, heartbeatFrequencyMS } = client.options;
  const maxChecks = Math.ceil((2 * connectTimeoutMS + heartbeatFrequencyMS) / 1_000) + spareChecks;
  /** Looks under way, by the server's address, and at how many checks they were. */
  const waiting = new Map<string, number>();
  let isConnecting = false;
  let isClosed = false;
  let isStopped = false;

  const onStarted = ({ connectionId }: { connectionId: string }) => void waiting.set(connectionId, 0);
  const onEnded = ({ connectionId }: { connectionId: string }) => void waiting.delete(connectionId);
  const onClosed = ({ address }: { address: string }) => void waiting.delete(address);
  client.on('serverHeartbeatStarted', onStarted);
  client.on('serverHeartbeatSucceeded', onEnded);
  client.on('serverHeartbeatFailed', onEnded);
  client.on('serverClosed', onClosed);

  function findHanging(): string | undefined {
    for (const [server, checks] of waiting) waiting.set(server, checks + 1);
    return [...waiting].find(([, checks]) => checks > maxChecks)?.[0];
  }

  async function connect(): Promise<void> {
    isConnecting = true;
    try {
      await client.close();
      isClosed = true;
      if (isStopped) return;
      await client.connect();
      isClosed = false;
      if (isStopped) await client.close(); // it was closed meanwhile, and is not to be open again
    } catch (err) {
      log.debug({ err }, 'MongoDB cannot be connected to yet');
    } finally {
      isConnecting = false;
    }
  }

  return {
    async check() {
      if (isConnecting || isStopped) return;
      const hanging = isClosed ? undefined : findHanging();
      if (hanging !== undefined) log.warn({ server: hanging }, 'the look at MongoDB hangs; connecting anew');
      if (hanging !== undefined || isClosed) await connect();
    },
    stop() {
      isStopped = true;
      client.off('serverHeartbeatStarted', onStarted);
      client.off('serverHeartbeatSucceeded', onEnded);
      client.off('serverHeartbeatFailed', onEnded);
      client.off('serverClosed', onClosed);
    },
  };
}
