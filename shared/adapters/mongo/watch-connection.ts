import type { mongo } from 'mongoose';
import type { Log } from '../../ports/log.ts';

/** A connection that is back sooner was never missed: a line for each would be one for each hiccup. */
const unnoticedMs = 1_000;

/** Logs once when no server takes writes any more, and once when one does again. @returns ends it */
export function watchConnection(client: mongo.MongoClient, log: Log): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isLost = false;

  function onChange({ newDescription: { servers } }: mongo.TopologyDescriptionChangedEvent): void {
    const isThere = [...servers.values()].some((server) => server.isWritable);
    if (isThere) {
      clearTimeout(timer);
      timer = undefined;
      if (isLost) log.info({}, 'MongoDB is back');
      isLost = false;
      return;
    }
    const reasons = [...servers.values()].map(
      ({ address, error }) => `${address}: ${error?.message ?? 'no primary'}`,
    );
    timer ??= setTimeout(() => {
      isLost = true;
      log.warn({ servers: reasons }, 'MongoDB cannot be reached');
    }, unnoticedMs);
    timer.unref();
  }

  client.on('topologyDescriptionChanged', onChange);
  return () => {
    client.off('topologyDescriptionChanged', onChange);
    clearTimeout(timer);
  };
}
