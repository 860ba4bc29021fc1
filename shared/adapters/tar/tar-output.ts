import { type Pack, pack } from 'tar-stream';
import type { ArchiveOutput } from '../../ports/archive-file.ts';

/** One write for many small entries: a write of 512 bytes costs as much as one of 256 KB. */
const writeBytes = 256 * 1024;

/** Where the bytes of an archive go. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Writes entries as a tar file of this user alone. @param createdAt Unix ms */
export function createTarOutput(sink: ByteSink, createdAt: number): ArchiveOutput {
  const tar = pack();
  let size = 0;
  const copied = copy(tar, async (bytes) => {
    await sink.write(bytes);
    size += bytes.byteLength;
  });
  copied.catch(() => undefined); // the caller that adds the next entry gets the error

  return {
    get size() {
      return size;
    },
    async add(name, bytes) {
      const header = { name, mode: 0o600, mtime: new Date(createdAt) };
      const added = new Promise<void>((resolve, reject) => {
        tar.entry(header, bytes, (error) => (error ? reject(error) : resolve()));
      });
      await added.catch(async (error: unknown) => {
        await copied; // throws the reason
        throw error;
      });
    },
    async finish() {
      tar.finalize();
      await copied;
      await sink.finish();
    },
    async discard() {
      tar.destroy();
      await copied.catch(() => undefined);
      await sink.discard();
    },
  };
}

async function copy(tar: Pack, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const piece of tar) {
    const bytes = piece as Uint8Array; // proof: a Pack gives Buffers
    pending.push(bytes);
    pendingBytes += bytes.byteLength;
    if (pendingBytes < writeBytes) continue;
    await write(Buffer.concat(pending, pendingBytes));
    pending = [];
    pendingBytes = 0;
  }
  if (pendingBytes > 0) await write(Buffer.concat(pending, pendingBytes));
}
