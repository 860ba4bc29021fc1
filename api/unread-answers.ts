import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../shared/ports/log.ts';
import { networkKey } from './middleware/address.ts';
import { pathOf } from './middleware/request-log.ts';
import { createUnreadMemory } from './unread-memory.ts';

export interface UnreadAnswers {
  /**
   * Watches an answer that was given just now, unless the system has taken all of it.
   * @param memory what holds it: the bytes, where others may be sent the same ones, else anything of its own
   */
  watch(res: ServerResponse, memory: object): void;
}

/**
 * Answers that wait for their clients to read them: none longer than `seconds`, and all together at most `maxBytes`,
 * those that several wait for counted once. Beyond it those are cut off whose client holds the most (IPv6: a /48), so
 * that nobody within an equal share is cut off because another does not read.
 * @param ipOf the address that a request comes from
 */
export function createUnreadAnswers({
  seconds,
  maxBytes,
  ipOf,
  log,
}: {
  seconds: number;
  maxBytes: number;
  ipOf: (req: IncomingMessage) => string | undefined;
  log: Log;
}): UnreadAnswers {
  const held = createUnreadMemory<ServerResponse>();

  function cut(res: ServerResponse): void {
    log.info({ path: pathOf(res.req), from: ipOf(res.req) }, 'an answer was cut off: nobody reads it');
    res.destroy();
  }

  return {
    watch(res, memory) {
      const waiting = res.socket?.writableLength ?? 0;
      if (waiting === 0) return;
      const client = networkKey(ipOf(res.req));
      const bytes = ArrayBuffer.isView(memory) ? memory.byteLength : waiting;
      held.add(res, { client, memory, bytes });
      const timer = setTimeout(() => cut(res), seconds * 1000);
      res.once('close', () => {
        clearTimeout(timer);
        held.remove(res);
      });
      for (const other of held.shrinkTo(maxBytes)) cut(other);
    },
  };
}
