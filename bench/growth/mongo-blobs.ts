import { openMongo } from '../../shared/adapters/mongo/connection.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import type { FilledDrop } from './data-set.ts';

/** What the stores write for each blob, in batches: one by one 200 documents a second are written, this way thousands. */
export async function openMongoBlobWriter(uri: string) {
  const log = createRecordingLog();
  const { connection, close } = await openMongo({ uri, maxConnections: 4, log, isMigration: true });

  async function insert(collection: string, documents: readonly object[]): Promise<void> {
    if (documents.length > 0) await connection.collection(collection).insertMany([...documents]);
  }

  return {
    async write(drops: readonly FilledDrop[]): Promise<void> {
      const documents = drops.flatMap((drop) => [...drop.documents]);
      const uploadDate = new Date();
      const chunks = documents.map(([id, { html }]) => ({ files_id: id, n: 0, data: html }));
      const files = documents.map(
        ([
          id,
          {
            html: { byteLength },
          },
        ]) => {
          return { _id: id, length: byteLength, chunkSize: byteLength, uploadDate, filename: id };
        },
      );
      const contexts = documents.flatMap(([id, { context }]) =>
        context ? [{ _id: id, bytes: context }] : [],
      );
      await insert('html.chunks', chunks);
      await insert('html.files', files);
      await insert('contexts', contexts);
    },
    close,
  };
}
