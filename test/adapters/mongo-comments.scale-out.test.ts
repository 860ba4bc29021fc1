import { expect } from 'chai';
import { createMongoCommentStore } from '../../shared/comments/mongo.ts';
import { type Mongo, openMongo } from '../../shared/mongo/connection.ts';
import { isDuplicateOf } from '../../shared/mongo/errors.ts';
import { migrate } from '../../shared/mongo/migrate.ts';
import { aComment, start } from '../contract/records.ts';
import { newMongoUri } from '../support/mongo.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const caps = { openPerDrop: 100, heldPerDrop: 100 };

describe('Comments in MongoDB', () => {
  let mongo: Mongo;

  beforeEach(async () => {
    const log = createRecordingLog();
    mongo = await openMongo({ uri: newMongoUri(), maxConnections: 5, log, isMigration: true });
    await migrate(mongo, log);
  });

  afterEach(async () => {
    await mongo.connection.dropDatabase();
    await mongo.close();
  });

  it('a writer that stood still while others inserted and changed a comment is refused', async () => {
    const comments = createMongoCommentStore(mongo.connection);
    const first = await comments.insert(aComment(), start, caps);
    let second = await comments.insert(aComment(), start + 10, caps);
    for (let n = 0; n < 5 && second !== null; n++)
      second = await comments.replace(second, { ...second, text: `${n}` }, start + 10);
    // What such a writer would store: it has read the number of the first comment as the highest.
    const late = { owner_id: 'owner', seq: start + 5, follows: [first?.seq ?? 0] };
    const refused = await mongo.connection
      .collection('comments')
      .insertOne(late)
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(isDuplicateOf(refused, 'comments_follows')).to.equal(true);
    expect(second?.text).to.equal('4');
  });
});
