import type { Threads } from '../../shared/threads/threads.ts';

/** Compares two documents in a thread. @returns null if it takes too long */
export function compareTexts(
  threads: Pick<Threads, 'compare'>,
  before: string,
  after: string,
  format: 'source' | 'text',
): ReturnType<Threads['compare']> {
  const first = { name: 'a', html: Buffer.from(before) };
  const second = { name: 'b', html: Buffer.from(after) };
  return threads.compare(first, second, format);
}
