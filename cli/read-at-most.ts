/** No page is as long, nor is what it is made of: what is longer is not read. */
export const maxReadBytes = 64 * 1024 * 1024;

/** Reads a stream whole, in memory of that size. @returns null if there are more than `max` bytes; the rest is not read */
export async function readAtMost(stream: AsyncIterable<Uint8Array>, max: number): Promise<Uint8Array | null> {
  let buffer = Buffer.allocUnsafe(65_536);
  let length = 0;
  for await (const chunk of stream) {
    const end = length + chunk.length;
    if (end > max) return null;
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * buffer.length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    buffer.set(chunk, length);
    length = end;
  }
  return buffer.subarray(0, length);
}
