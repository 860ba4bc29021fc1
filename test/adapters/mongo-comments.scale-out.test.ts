import { expect } from 'chai';
import { type Comment, commentLimits } from '../../shared/comments/comment.ts';
import type { CommentStore } from '../../shared/comments/comment-store.ts';
import { MongoComments } from '../../shared/comments/mongo.ts';
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

  const withoutSizes = { $unset: { bytes: 1, texts: 1 } } as const;

  /** Changes the documents as a process of release 1.3 leaves them, which knows no sizes. */
  const asByOlderProcess = (id: string, update: object) =>
    mongo.connection.collection<{ _id: string }>('comments').updateOne({ _id: id }, update);

  async function insertMarked(comments: CommentStore): Promise<Comment> {
    const { author } = aComment();
    const resolving = [
      { versionId: newId(start), reply: '\u{1f343}', author },
      { versionId: newId(start), reply: null, author },
    ];
    return insertComment(comments, aComment({ text: 'é', resolving }));
  }

  it('migrate adds the sizes of comments that were stored without them', async () => {
    const comments = new MongoComments(mongo.connection);
    const { id } = await insertMarked(comments);
    const thread = await comments.findThread(id);
    await asByOlderProcess(id, withoutSizes);
    await migrate(mongo, createRecordingLog());
    const stored = mongo.connection.collection<{ _id: string }>('comments');
    const { bytes, texts } = thread ?? {};
    expect(await stored.findOne({ _id: id })).to.include({ bytes, texts });
  });

  it('migrate corrects the sizes of comments that an older process has changed', async () => {
    const comments = new MongoComments(mongo.connection);
    const { id, author } = await insertMarked(comments);
    const thread = await comments.findThread(id);
    const reply = { id: newId(start), author, text: 'Done', createdAt: start };
    await asByOlderProcess(id, { $push: { replies: reply } });
    const log = createRecordingLog();
    await migrate(mongo, log);
    const { bytes = 0, texts = 0 } = thread ?? {};
    expect(await comments.findThread(id)).to.include({ bytes: bytes + 4, texts: texts + 1 });
    const isOfSizes = ({ message }: { readonly message: string }) => /sizes/.test(message);
    expect(log.lines.filter(isOfSizes)).to.have.length(1);
    await migrate(mongo, log);
    expect(log.lines.filter(isOfSizes)).to.have.length(1);
  });

  it('a comment that an older process has stored without sizes is changed, marked and listed before migrate', async () => {
    const comments = new MongoComments(mongo.connection);
    const comment = await insertMarked(comments);
    const { id, dropId, author, state } = comment;
    const thread = await comments.findThread(id);
    await asByOlderProcess(id, withoutSizes);
    expect(await comments.findThread(id)).to.deep.equal(thread);
    await asByOlderProcess(id, withoutSizes);
    expect(await comments.mark(id, { versionId: newId(start), reply: 'ok', author }, commentLimits)).to.equal(
      'marked',
    );
    await asByOlderProcess(id, withoutSizes);
    const query = { dropId, states: [state], after: 0, limit: 10 };
    expect(await comments.listThreads('owner', query)).to.deep.equal([await comments.findThread(id)]);
    await asByOlderProcess(id, withoutSizes);
    const { comments: listed } = await comments.list('owner', query);
    expect(listed.map(({ replyCount }) => replyCount)).to.deep.equal([comment.replies.length]);
    await asByOlderProcess(id, withoutSizes);
    const read = await comments.find(id);
    expect(read && (await changeText(comments, read, 'longer', start + 10))).to.be.a('number');
  });

  it('a writer that stood still while others inserted and changed a comment is refused', async () => {
    const comments = new MongoComments(mongo.connection);
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
    const reading = new MongoComments(mongo.connection);
    const writing = new MongoComments(mongo.connection);
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
    const comments = new MongoComments(mongo.connection);
    await insertComment(comments, aComment());
    const { seq } = await insertComment(comments, aComment());
    await comments.lastSeq('owner');
    const filters = await filtersOf(() => comments.lastSeq('owner'));
    expect(filters).to.deep.equal([{ owner_id: 'owner', seq: { $gte: seq } }]);
  });

  it('counts the threads of one drop without reading them', async () => {
    const comments = new MongoComments(mongo.connection);
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
