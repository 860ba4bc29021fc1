import { expect } from 'chai';
import { createMongoCommentStore } from '../../shared/comments/mongo.ts';
import { type Mongo, openMongo } from '../../shared/mongo/connection.ts';
import { isDuplicateOf } from '../../shared/mongo/errors.ts';
import { migrate } from '../../shared/mongo/migrate.ts';
import { aComment, changeText, insertComment, start } from '../contract/records.ts';
import { newMongoUri } from '../support/mongo.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

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
    const first = await insertComment(comments, aComment());
    const second = await insertComment(comments, aComment(), start + 10);
    let seq: number | null = second.seq;
    for (let n = 0; n < 5 && seq !== null; n++)
      seq = await changeText(comments, { ...second, seq }, `${n}`, start + 10);
    // What such a writer would store: it has read the number of the first comment as the highest.
    const late = { owner_id: 'owner', seq: start + 5, follows: [first.seq] };
    const refused = await mongo.connection
      .collection('comments')
      .insertOne(late)
      .then(
        () => null,
        (error: unknown) => error,
      );
    expect(isDuplicateOf(refused, 'comments_follows')).to.equal(true);
    expect((await comments.find(second.id))?.text).to.equal('4');
  });
});
