import { expect } from 'chai';
import mongoose from 'mongoose';
import { createJobHandlers } from '../../worker/start-worker.ts';
import { openTestMongo } from '../support/mongo.ts';
import { openTestRedis, watchCommands } from '../support/redis.ts';
import { useServiceBeside } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Command {
  readonly name: string;
  readonly collection: string;
}

/** Where documents, contexts and rendered pages are: a request's blobs. */
const blobCollections = /^html\.(files|chunks)$|^(contexts|artefacts|artefact_chunks)$/;

/** How often each kind of request goes to MongoDB, as the driver reports it, and to Redis, as Redis does. */
describe('Commands to the databases for each request', () => {
  const [service, database] = useServiceBeside(async () => {
    const { mongo, uri, close } = await openTestMongo();
    return { ...mongo, close, env: { MONGODB_URI: `${uri}&monitorCommands=true` } };
  });
  let commands: Command[] = [];

  before(async () => {
    await service.services.jobs.stop(1_000); // only requests are counted here
    const own = mongoose.connections.at(-1); // the newest is the service's
    if (own === undefined) throw new Error('the service opened no connection');
    own.getClient().on('commandStarted', ({ commandName, command }) => {
      commands.push({ name: commandName, collection: String(command[commandName] ?? command.collection) });
    });
  });

  /** An owner who has written in this minute: the use of the token is noted, and that no drop is above the cap is known. */
  async function knownOwner() {
    const owner = await service.newOwner();
    await owner.get('/api/me');
    await owner.create({ html: '<p>The first upload of a process looks whether the bucket is in use' });
    return owner;
  }

  /** What the work asks of MongoDB. */
  async function during(
    work: () => Promise<{ status: number }>,
  ): Promise<{ records: string[]; blobs: string[] }> {
    commands = [];
    const { status } = await work();
    expect(status).to.be.within(200, 299);
    const asked = commands.filter(({ collection }) => collection !== 'web_processes'); // renewed on a timer
    const describe = ({ name, collection }: Command) => `${name} ${collection}`;
    return {
      records: asked.filter(({ collection }) => !blobCollections.test(collection)).map(describe),
      blobs: asked.filter(({ collection }) => blobCollections.test(collection)).map(describe),
    };
  }

  /** Reads a page that is not rendered yet, and waits until it is. */
  async function untilStored(read: () => Promise<unknown>): Promise<void> {
    const artefacts = database.connection.collection('artefacts');
    const before = await artefacts.countDocuments();
    await read();
    await until(
      async () => (await artefacts.countDocuments()) > before,
      'the page is stored, beside the answer',
    );
  }

  const blobsOfWrite = ['insert contexts', 'insert html.chunks', 'insert html.files'];

  it('POST of a drop: 5, and 1 for its context', async () => {
    const owner = await knownOwner();
    const { records, blobs } = await during(() => owner.post({ context: 'why', metadata: { a: 'b' } }));
    expect(records).to.deep.equal(['aggregate tokens', 'update accounts', 'insert drops']);
    expect(blobs.sort()).to.deep.equal(blobsOfWrite);
  });

  it('PUT: 5, 1 for its context, and 1 for the comments', async () => {
    const owner = await knownOwner();
    const { slug } = await owner.create();
    const { records, blobs } = await during(() => owner.put(slug, { context: 'why', metadata: { a: 'b' } }));
    expect(records).to.deep.equal([
      'aggregate tokens',
      'update accounts',
      'findAndModify drops',
      'aggregate comments',
    ]);
    expect(blobs.sort()).to.deep.equal(blobsOfWrite);
  });

  it('a POST that arrives in one write: 1 for its token', async () => {
    const owner = await knownOwner();
    const body = JSON.stringify({ title: 'A title', html: '<p>A page' });
    const head = service.head('POST', '/api/drops', {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    });
    const connection = await service.connect();
    const { records } = await during(async () => {
      await connection.send(head + body);
      return connection.answer();
    });
    connection.close();
    expect(records.filter((record) => record.endsWith(' tokens'))).to.deep.equal(['aggregate tokens']);
  });

  it('GET of a drop: 1, 1 for its token, and 1 for the comments', async () => {
    const owner = await knownOwner();
    const { slug } = await owner.create();
    const { records, blobs } = await during(() => owner.get(`/api/drops/${slug}`));
    expect([...records, ...blobs]).to.deep.equal(['aggregate tokens', 'find drops', 'aggregate comments']);
  });

  for (const query of ['', '?metadata.a=b&metadata.c=d&sortBy=view_count', '?pageSize=3']) {
    it(`a list that fits on its page (${query || 'plain'}): 3`, async () => {
      const owner = await knownOwner();
      for (let i = 0; i < 2; i++) await owner.create({ metadata: { a: 'b', c: 'd' } });
      const { records } = await during(() => owner.get(`/api/drops${query}`));
      expect(records).to.deep.equal(['aggregate tokens', 'find drops', 'aggregate comments']);
    });
  }

  it('a page of a longer list: 4', async () => {
    const owner = await knownOwner();
    for (let i = 0; i < 2; i++) await owner.create();
    for (const page of [1, 2]) {
      const { records } = await during(() => owner.get(`/api/drops?pageSize=1&page=${page}`));
      expect(records).to.deep.equal([
        'aggregate tokens',
        'find drops',
        'aggregate drops',
        'aggregate comments',
      ]);
    }
  });

  it('the job of a publish: 6', async () => {
    const owner = await knownOwner();
    const { slug } = await owner.create();
    const drops = database.connection.collection<{ _id: string; head: { id: string } }>('drops');
    const stored = await drops.findOne({ slug });
    const { 'version.render': render } = createJobHandlers(service.services);
    const { records, blobs } = await during(async () => {
      await render({ dropId: stored?._id ?? '', versionId: stored?.head.id ?? '' });
      return { status: 200 };
    });
    expect(records).to.deep.equal(['aggregate drops', 'find comments', 'find comments', 'update drops']);
    expect(blobs).to.deep.equal(['find html.chunks', 'insert artefacts']);
  });

  it('to Redis, a POST sends 2, for its limit and its job, and a GET none', async () => {
    const owner = await knownOwner();
    const { REDIS_PREFIX: prefix } = service.config;
    const redis = await openTestRedis(prefix);
    const commands = await watchCommands(prefix);
    const { slug } = await owner.create();
    await owner.get(`/api/drops/${slug}`);
    await until(() => commands.list().some((line) => line.includes('"evalsha"')), 'the job is enqueued');
    const sent = (await commands.end(redis)).map((line) => /"(\w+)"/.exec(line)?.[1]);
    await redis.close();
    expect(sent).to.deep.equal(['eval', 'evalsha']);
  });

  it('a poll of a pending sign-in: 1', async () => {
    const started = await service.request('POST', '/api/auth/start', { body: {} });
    const { records } = await during(() => service.get(`/api/auth/poll?token=${started.body.poll_token}`));
    expect(records, records.join()).to.have.length(1);
  });

  // From here on pages are in memory, whose revisions are confirmed by a query every 0.3 s.

  it('the viewer of a page whose context is in memory: at most 1', async () => {
    const owner = await knownOwner();
    const { slug } = await owner.create({ context: '# why' });
    await untilStored(() => service.view(`/p/${slug}`));
    await service.view(`/p/${slug}`); // on a busy machine the first was served without a full parse, and is not in memory
    const { records, blobs } = await during(() => service.view(`/p/${slug}`));
    expect(records.length + blobs.length, [...records, ...blobs].join()).to.be.at.most(1);
  });

  it('raw of a page in memory: at most 1', async () => {
    const owner = await knownOwner();
    const { slug } = await owner.create();
    await untilStored(() => service.get(`/p/${slug}/raw`));
    await service.get(`/p/${slug}/raw`); // on a busy machine the first was served without a full parse, and is not in memory
    const { records, blobs } = await during(() => service.get(`/p/${slug}/raw`));
    expect(records.length + blobs.length, [...records, ...blobs].join()).to.be.at.most(1);
  });
});
