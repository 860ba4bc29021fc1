import type { Redis as Client } from 'ioredis';
import { withTimeout } from '../../util/wait-at-most.ts';
import type { Redis } from './connection.ts';

/** A server that has gone silent is noticed after this long, while something waits for its answer. */
const silentMs = 5_000;
/** And after this long where it is known to be back. */
const answerWithinMs = 1_000;

/**
 * The connections of a process that works: one for the commands of all its workers, and one for each worker, on which
 * it waits for work.
 * @param wake lets the workers look for work: what Redis said to a connection that was lost is said once
 */
export function openJobConnections(redis: Redis, wake: (client: Client) => Promise<unknown>) {
  const client = redis.duplicateForJobs({ socketTimeout: silentMs });
  const waiting: Client[] = [];
  // BullMQ makes a worker's second connection by this. Nothing is heard on it for as long as there is no work, and
  // BullMQ itself sees to it that no wait is longer than it was meant to be.
  client.duplicate = (changes) => {
    const connection = redis.duplicateForJobs({ ...changes });
    waiting.push(connection);
    connection.on('ready', () => {
      wake(client).catch(() => undefined); // it was closed meanwhile
    });
    return connection;
  };

  /** Redis was lost and is back, perhaps elsewhere: these may not have noticed. */
  function renew(): void {
    for (const connection of waiting) reconnect(connection);
    // An answer that is cut off may be a job, which would then be nobody's until its lock ends.
    if (client.status !== 'ready') return;
    withTimeout(answerWithinMs, client.ping(), () => new Error('No answer')).catch(() => reconnect(client));
  }

  let isKnownUp = redis.isUp();
  const stopListening = redis.onReady(() => {
    if (!isKnownUp) renew();
    isKnownUp = false; // the next time it is ready it was lost before
  });

  return {
    client,
    /** At once; commands under way are rejected. */
    close(): void {
      stopListening();
      for (const connection of [client, ...waiting]) end(connection);
    },
  };
}

function reconnect(connection: Client): void {
  if (connection.status === 'ready' || connection.status === 'connect') connection.disconnect(true);
}

/** Told to disconnect while it waits to connect again, ioredis waits no more, but rejects nothing and tells nobody. */
function end(connection: Client): void {
  if (connection.status === 'reconnecting') connection.connect().catch(() => undefined);
  connection.disconnect();
}
