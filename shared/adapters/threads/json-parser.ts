import type { JsonParser } from '../../ports/json-parser.ts';
import type { Log } from '../../ports/log.ts';
import { createThreadPool } from './thread-pool.ts';

/** Twice what the largest legal body needs. */
const maxHeapMb = 128;

/** Parses in one thread, which starts with the first body and ends when it is idle for a while. */
export function createThreadJsonParser({ log }: { log?: Pick<Log, 'warn'> } = {}): JsonParser {
  const pool = createThreadPool({
    file: new URL('./parse-thread.js', import.meta.url),
    name: 'parse',
    maxThreads: 1,
    maxHeapMb,
    onError: (error) => log?.warn({ err: error }, 'the thread that parses request bodies failed'),
  });
  return {
    parse(bytes) {
      const { buffer } = bytes;
      // Node allocates small buffers from a shared one, which must not be transferred.
      const ownsBuffer = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
      return pool.run({ bytes }, ownsBuffer ? { transfer: [buffer] } : {});
    },
    close: () => pool.close(),
  };
}
