import { openMongo } from '../../shared/adapters/mongo/connection.ts';
import { type DropDocument, dropDocument } from '../../shared/adapters/mongo/drop-schema.ts';
import { versionDocument } from '../../shared/adapters/mongo/version-document.ts';
import { withoutDocument } from '../../shared/domain/drop.ts';
import { createRecordingLog } from '../../test/worker/recording-log.ts';
import type { FilledDrop } from './data-set.ts';

/** The documents that the stores write, in batches: the stores write 140 drops a second, this 4,000. */
export async function openDropWriter(uri: string) {
  const { connection, close } = await openMongo({
    ...{ uri, maxConnections: 4, log: createRecordingLog(), isMigration: true },
  });
  const collection = (name: string) => connection.collection<{ _id: string }>(name);

  async function insert(name: string, documents: readonly object[]): Promise<void> {
    if (documents.length > 0) await collection(name).insertMany(documents as never, { ordered: false }); // proof: documents of that collection
  }

  return {
    async write(batch: readonly FilledDrop[]): Promise<void> {
      const versions = batch.flatMap(({ drop, later }) => [drop.version, ...later]);
      const uploadDate = new Date();
      const contexts = versions.flatMap(({ id, context }) => (context ? [{ _id: id, bytes: context }] : []));
      const files = versions.map(({ id, html }) => {
        const length = html.byteLength;
        return { _id: id, length, chunkSize: length, uploadDate, filename: id };
      });
      await Promise.all([
        insert(
          'html.chunks',
          versions.map(({ id, html }) => ({ files_id: id, n: 0, data: html })),
        ),
        insert('html.files', files),
        insert('contexts', contexts),
        insert('drops', batch.map(toDocument)),
      ]);
    },
    close,
  };
}

function toDocument({ drop, place, later }: FilledDrop): DropDocument {
  const first = dropDocument(drop, place, []);
  const more = later.map((version, n) => ({ ...versionDocument(withoutDocument(version)), number: n + 2 }));
  const versions = [...first.versions, ...more];
  const head = versions.at(-1) ?? first.head;
  const { number: latest_version, created_at: updated_at } = head;
  const counts = { latest_version, version_count: latest_version, rev: latest_version };
  return { ...first, versions, head, ...counts, updated_at, changed_at: updated_at };
}
