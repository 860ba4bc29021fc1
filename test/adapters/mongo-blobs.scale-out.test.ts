import { expect } from 'chai';
import { createMongoStores } from '../../shared/adapters/mongo/stores.ts';
import { start } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { openTestMongo, type TestMongo } from '../support/mongo.ts';

describe('Documents in GridFS', () => {
  let test: TestMongo;

  before(async () => {
    test = await openTestMongo();
  });
  after(() => test.giveBack());

  for (const [what, from] of [
    ['all of its chunks', 0],
    ['its last chunk', 2],
  ] as const) {
    it(`one that is removed while it is read, so that the reader misses ${what}, is absent`, async () => {
      const { html } = createMongoStores(test.mongo.connection, createTestClock(start));
      const id = `v-${from}`;
      const document = Buffer.alloc(2_500_000, 'x'); // three chunks
      await html.put(id, document);
      expect(await html.get(id)).to.deep.equal(document);
      const chunks = test.mongo.connection.collection('html.chunks');
      await chunks.deleteMany({ files_id: id, n: { $gte: from } } as object);
      expect(await html.get(id)).to.equal(null);
    });
  }
});
