import { expect } from 'chai';
import { createMongoCommentStore } from '../../shared/comments/mongo.ts';
import { newId } from '../../shared/domain/ids.ts';
import { type Mongo, openMongo } from '../../shared/mongo/connection.ts';
import { isDuplicateOf } from '../../shared/mongo/errors.ts';
import { migrate } from '../../shared/mongo/migrate.ts';
import { aComment, changeText, insertComment, start } from '../contract/records.ts';
import { newMongoUri, withLongTimeouts } from '../support/mongo-uri.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('Comments in MongoDB', () => {
  let mongo: Mongo;

  beforeEach(async () => {
    const log = createRecordingLog();
    mongo = await openMongo({
      uri: `${withLongTimeouts(newMongoUri())}&monitorCommands=true`,
      maxConnections: 5,
      log,
      isMigration: true,
    });
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

  it('a process that has read a number as the highest finds the next one, and the one before when it was deleted', async () => {
    const reading = createMongoCommentStore(mongo.connection);
    const writing = createMongoCommentStore(mongo.connection);
    expect(await reading.lastSeq('owner')).to.equal(0);
    const first = await insertComment(writing, aComment());
    expect(await reading.lastSeq('owner')).to.equal(first.seq);
    const second = await insertComment(writing, aComment());
    expect(await reading.lastSeq('owner')).to.equal(second.seq);
    await writing.remove(second.id);
    expect(await reading.lastSeq('owner')).to.equal(first.seq);
    await writing.remove(first.id);
    expect(await reading.lastSeq('owner')).to.equal(0);
    const third = await insertComment(reading, aComment());
    expect(await writing.lastSeq('owner')).to.equal(third.seq);
  });

  it('looks for the highest number only among those that are not lower than the one before', async () => {
    const comments = createMongoCommentStore(mongo.connection);
    await insertComment(comments, aComment());
    const { seq } = await insertComment(comments, aComment());
    await comments.lastSeq('owner');
    const filters = await filtersOf(() => comments.lastSeq('owner'));
    expect(filters).to.deep.equal([{ owner_id: 'owner', seq: { $gte: seq } }]);
  });

  it('counts the threads of one drop without reading them', async () => {
    const comments = createMongoCommentStore(mongo.connection);
    const { dropId } = await insertComment(comments, aComment());
    await insertComment(comments, aComment({ state: 'held' }));
    await insertComment(comments, aComment({ state: 'resolved' }));
    const stages: unknown[] = [];
    const note = ({ command }: { readonly command: { readonly pipeline?: readonly object[] } }) =>
      stages.push(command.pipeline?.at(-1));
    const client = mongo.connection.getClient();
    client.on('commandStarted', note);
    const counts = await comments.countByDrop([dropId]);
    client.off('commandStarted', note);
    expect(counts).to.deep.equal(new Map([[dropId, { open: 1, held: 1 }]]));
    // DocumentDB takes this stage from the index, and no other.
    expect(stages).to.deep.equal(Array(2).fill({ $group: { _id: 1, n: { $sum: 1 } } }));
  });

  async function filtersOf(call: () => Promise<unknown>): Promise<unknown[]> {
    const filters: unknown[] = [];
    const note = ({ command }: { readonly command: { readonly filter?: unknown } }) =>
      filters.push(command.filter);
    const client = mongo.connection.getClient();
    client.on('commandStarted', note);
    await call();
    client.off('commandStarted', note);
    return filters;
  }
});
