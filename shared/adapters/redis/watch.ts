import type { Redis as Client } from 'ioredis';
import type { Log } from '../../ports/log.ts';
import { findMisconfiguration } from './faults.ts';

export type ConnectionWatch = ReturnType<typeof watchConnection>;

/**
 * Listens to a connection: says once when Redis is lost and once when it is back, and tells who wants to know.
 * Of an error it logs words of ours or its code and message, never the error, which carries the command with it.
 */
export function watchConnection(client: Client, server: string, log: Log) {
  const listeners = new Set<() => void>();
  let isReady = false;
  let wasLost = false;
  let isStopped = false;
  let reason: string | null = null;

  function onReady(): void {
    isReady = true;
    reason = null;
    if (wasLost) log.info({ redis: server }, 'Redis is back');
    wasLost = false;
    for (const listener of [...listeners]) call(listener);
  }

  function call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      log.error({ err: error }, 'what was to be done when Redis is back failed');
    }
  }

  function onClose(): void {
    isReady = false;
    if (wasLost || isStopped) return;
    wasLost = true;
    log.warn(
      { redis: server, reason: reason ?? 'connection closed' },
      'Redis cannot be reached; the service goes on without it for now',
    );
  }

  function onError(error: Error): void {
    const fault = findMisconfiguration(error, server);
    // What somebody must mend is told even where a server that was only away has been told before.
    if (fault !== null && fault !== reason && wasLost && !isStopped) log.error({ redis: server }, fault);
    reason = fault ?? describe(error);
    leaveWrongDatabase(client, error);
  }

  client.on('ready', onReady);
  client.on('close', onClose);
  client.on('error', onError);

  return {
    onReady(listener: () => void): () => void {
      listeners.add(listener);
      if (isReady) call(listener);
      return () => listeners.delete(listener);
    },

    /** ` (ECONNREFUSED)`, or nothing where nothing is known. */
    lastReason: () => (reason === null ? '' : ` (${reason})`),

    /** From now on the connection ends because it was told to. It still listens, so that no error goes unheard. */
    stop(): void {
      isStopped = true;
      listeners.clear();
    },
  };
}

/** ioredis would go on with database 0 where the one that is asked for is not there. */
export function leaveWrongDatabase(client: Client, error: Error): void {
  if (/DB index|SELECT is not allowed/i.test(error.message)) client.disconnect(true);
}

function describe(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
