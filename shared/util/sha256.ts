import { createHash, webcrypto } from 'node:crypto';

/** Up to here, hashing takes less time than handing the bytes to another thread. */
const shortBytes = 64 * 1024;

/** SHA-256. Long bytes are hashed in another thread, because they would hold up the event loop (docs/performance.md). */
export async function sha256Of(bytes: Uint8Array): Promise<Buffer> {
  if (bytes.length <= shortBytes) return createHash('sha256').update(bytes).digest();
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));
}
