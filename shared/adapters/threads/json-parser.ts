import type { JsonParser } from '../../ports/json-parser.ts';
import type { Log } from '../../ports/log.ts';
import { createThreadPool } from './thread-pool.ts';

/** Twice what the largest legal body needs, all of it in two-byte characters. */
const maxHeapMb = 128;

/** Parses in one thread, which starts with the first body and ends when there is none for a while. */
export function createThreadJsonParser({ log }: { log?: Pick<Log, 'warn'> } = {}): JsonParser {
  const pool = createThreadPool({
    file: new URL('./parse-thread.js', import.meta.url),
    name: 'parse',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'a thread that parses bodies has died'),
  });
  return {
    parse(bytes) {
      const { buffer } = bytes;
      // A small body shares its buffer with others.
      const own = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
      return pool.run({ bytes }, own ? { transfer: [buffer] } : {});
    },
    close: () => pool.close(),
  };
}
