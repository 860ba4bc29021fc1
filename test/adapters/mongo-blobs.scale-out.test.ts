import { expect } from 'chai';
import { GridBucket } from '../../shared/mongo/grid-bucket.ts';
import { createMongoStores } from '../../shared/mongo/stores.ts';
import { inParallel, start } from '../contract/records.ts';
import { useOnce } from '../support/between.ts';
import { createTestClock } from '../support/clock.ts';
import { openTestMongo } from '../support/mongo.ts';

describe('Documents in GridFS', () => {
  const test = useOnce(openTestMongo);

  it('parallel puts of one document do not deadlock', async () => {
    const bucket = new GridBucket(test.mongo.connection, 'html');
    for (let n = 0; n < 50; n++) {
      await inParallel(5, () => bucket.put(`parallel-${n}`, Buffer.from('<p>same')));
    }
  });

  for (const [what, n] of [
    ['all of its chunks', { $gte: 0 }],
    ['its first chunk', 0],
    ['its second chunk', 1],
    ['its last chunk', 2],
    ['all but its first chunk', { $gt: 0 }],
  ] as const) {
    it(`one that is removed while it is read, so that the reader misses ${what}, is absent`, async () => {
      const { html } = createMongoStores(test.mongo.connection, createTestClock(start));
      const id = `v-${what}`;
      const document = Buffer.alloc(2_500_000, 'x'); // three chunks
      await html.put(id, document);
      expect(await html.get(id)).to.deep.equal(document);
      const chunks = test.mongo.connection.collection('html.chunks');
      await chunks.deleteMany({ files_id: id, n } as object);
      expect(await html.get(id)).to.equal(null);
    });
  }
});
