import type { ServerResponse } from 'node:http';
import type { Log } from '../shared/ports/log.ts';
import { pathOf } from './middleware/request-log.ts';

export interface UnreadAnswers {
  /**
   * Watches an answer that was given just now, unless the system has taken all of it.
   * @param memory what holds it: the bytes, where others may be sent the same ones, else anything of its own
   */
  watch(res: ServerResponse, memory: object): void;
}

interface Unread {
  readonly res: ServerResponse;
  readonly memory: object;
}

/**
 * Answers that wait for their clients to read them: none longer than `seconds`, and all together at most `maxBytes`,
 * those that several wait for counted once. Beyond it the connections are cut that have waited the longest: slow
 * readers, and not those who come now.
 */
export function createUnreadAnswers({
  seconds,
  maxBytes,
  log,
}: {
  seconds: number;
  maxBytes: number;
  log: Log;
}): UnreadAnswers {
  /** The longest waiting first. */
  const waiting = new Map<Unread, NodeJS.Timeout>();
  const memories = new Map<object, { readonly bytes: number; readers: number }>();
  let held = 0;

  function hold(memory: object, bytes: number): void {
    const known = memories.get(memory);
    if (known !== undefined) known.readers += 1;
    else {
      memories.set(memory, { bytes, readers: 1 });
      held += bytes;
    }
  }

  function release(unread: Unread): void {
    const timer = waiting.get(unread);
    const known = memories.get(unread.memory);
    if (timer === undefined || known === undefined) return; // done already
    clearTimeout(timer);
    waiting.delete(unread);
    known.readers -= 1;
    if (known.readers > 0) return;
    memories.delete(unread.memory);
    held -= known.bytes;
  }

  function cut(unread: Unread): void {
    const { res } = unread;
    release(unread);
    log.info(
      { path: pathOf(res.req), from: res.socket?.remoteAddress },
      'an answer was cut off: nobody reads it',
    );
    res.destroy();
  }

  /** Those first whose end frees something: of what others wait for too, one reader less frees nothing. */
  function makeRoom(): void {
    for (const isSharedToo of [false, true]) {
      for (const [oldest] of waiting) {
        if (held <= maxBytes) return;
        if (isSharedToo || memories.get(oldest.memory)?.readers === 1) cut(oldest);
      }
    }
  }

  return {
    watch(res, memory) {
      const bytes = res.socket?.writableLength ?? 0;
      if (bytes === 0) return;
      const unread = { res, memory };
      hold(memory, ArrayBuffer.isView(memory) ? memory.byteLength : bytes);
      waiting.set(
        unread,
        setTimeout(() => cut(unread), seconds * 1000),
      );
      res.once('close', () => release(unread));
      makeRoom();
    },
  };
}
