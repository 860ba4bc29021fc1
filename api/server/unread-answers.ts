import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../shared/ports/log.ts';
import { networkKey } from '../http/client-address.ts';
import { pathOf } from '../http/request-log.ts';
import type { HeldBytes } from './held-bytes.ts';

export interface UnreadAnswers {
  /**
   * Watches an answer that was given just now, unless the system has taken all of it.
   * @param of `bytes`: the answer's body, where other clients may be sent the same bytes; `account`: the client's,
   *   where it has shown a token
   */
  watch(res: ServerResponse, of: { bytes?: Uint8Array | undefined; account?: string | undefined }): void;
}

/**
 * Answers that wait for their clients to read them: none longer than `seconds`, and all are counted in `held`.
 * @param ipOf the address that a request comes from
 */
export function createUnreadAnswers({
  seconds,
  held,
  ipOf,
  log,
}: {
  seconds: number;
  held: HeldBytes;
  ipOf: (req: IncomingMessage) => string | undefined;
  log: Log;
}): UnreadAnswers {
  return {
    watch(res, { bytes: memory, account }) {
      const waiting = res.socket?.writableLength ?? 0;
      if (waiting === 0) return;
      const cut = () => {
        log.info(
          { path: pathOf(res.req), from: ipOf(res.req) },
          'an answer was cut off: the client does not read it',
        );
        res.destroy();
      };
      const client = account ?? networkKey(ipOf(res.req));
      const timer = setTimeout(cut, seconds * 1000);
      const holding = held.hold(client, { bytes: memory?.byteLength ?? waiting, memory, cut });
      res.once('close', () => {
        clearTimeout(timer);
        holding.release();
      });
    },
  };
}
