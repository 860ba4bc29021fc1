import { expect } from 'chai';
import { createMongoCommentStore } from '../../shared/comments/mongo.ts';
import { newId } from '../../shared/domain/ids.ts';
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

  it('migrate adds the sizes of comments that were stored without them', async () => {
    const comments = createMongoCommentStore(mongo.connection);
    const { author } = aComment();
    const resolving = [
      { versionId: newId(start), reply: '\u{1f343}', author },
      { versionId: newId(start), reply: null, author },
    ];
    const { id } = await insertComment(comments, aComment({ text: 'é', resolving }));
    const thread = await comments.findThread(id);
    const stored = mongo.connection.collection<{ _id: string }>('comments');
    await stored.updateOne({ _id: id }, { $unset: { bytes: 1, texts: 1 } });
    await migrate(mongo, createRecordingLog());
    expect(await comments.findThread(id)).to.deep.equal(thread);
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
