import { expect } from 'chai';
import mongoose, { type Connection } from 'mongoose';
import { toDocument } from '../../shared/adapters/mongo/drop-documents.ts';
import {
  atRev,
  atSlug,
  changeableBy,
  deletedWithId,
  isKnown,
  matching,
  naming,
  ofOwner,
  ownDrop,
  pageAt,
  pageOf,
  placesOf,
  type Query,
  takenDownAt,
  tasksOf,
  versionOf,
  withId,
  withRoom,
  withSpare,
  withTasks,
} from '../../shared/adapters/mongo/drop-queries.ts';
import { dropModel } from '../../shared/adapters/mongo/drop-schema.ts';
import { createMongoDropStore } from '../../shared/adapters/mongo/drop-store.ts';
import { createMongoPendingTaskStore } from '../../shared/adapters/mongo/pending-task-store.ts';
import {
  type Drop,
  type DropQuery,
  type Metadata,
  type NewDrop,
  sortFields,
  sortOrders,
} from '../../shared/domain/drop.ts';
import type { DropStore } from '../../shared/ports/drop-store.ts';
import type { PendingTaskStore } from '../../shared/ports/pending-task-store.ts';
import { aDrop, aVersion, inParallel, later, start } from '../contract/records.ts';
import { makeTestMongo, openTestMongo, type TestMongo } from '../support/mongo.ts';

const listed: DropQuery = { page: 1, pageSize: 20, sortBy: 'created_at', sortOrder: 'desc', metadata: [] };

describe('drops in MongoDB', () => {
  let database: TestMongo;
  let connection: Connection;
  let drops: DropStore;
  let pendingTasks: PendingTaskStore;

  beforeEach(async () => {
    database = await openTestMongo();
    ({ connection } = database.mongo);
    drops = createMongoDropStore(connection);
    pendingTasks = createMongoPendingTaskStore(connection);
  });

  afterEach(() => database.giveBack());

  async function create(changes: Partial<NewDrop> = {}): Promise<Drop> {
    return made(await drops.create(aDrop(changes), 500, []));
  }

  it('takes one command for each call; two to create and to list', async () => {
    for (let i = 0; i < 120; i++) await create();
    const { slug, id } = await create({ metadata: new Map([['a', 'b']]) });
    const query = { ...listed, pageSize: 200 };
    const calls: [commands: string[], call: () => Promise<unknown>][] = [
      [['find', 'insert'], () => drops.create(aDrop(), 500, ['render'])],
      [['find'], () => drops.find('owner', slug)],
      [['aggregate', 'find'], () => drops.list('owner', query)],
      [['aggregate', 'find'], () => drops.list('owner', { ...query, metadata: [['a', 'b']] })],
      [['aggregate'], () => drops.count('owner')],
      [
        ['findAndModify'],
        () => drops.addVersion('owner', slug, aVersion(), { title: 'New' }, 200, ['render']),
      ],
      [['find'], () => drops.listVersions('owner', slug)],
      [['find'], () => drops.findVersion('owner', slug, 1)],
      [['find'], async () => drops.findPage(slug, null)],
      [['find'], async () => drops.findPage(slug, 1)],
      [['findAndModify'], () => drops.changeDetails('owner', slug, { title: 'Newer' }, later, ['purge'])],
      [['findAndModify'], () => drops.setLock('owner', slug, null, later, ['purge'])],
      [['findAndModify'], () => drops.removeVersion('owner', slug, 1, later, ['purge'])],
      [['find'], () => pendingTasks.find(id)],
      [['find'], () => pendingTasks.listPending(later + 1, null, 500)],
      [['update'], () => pendingTasks.clearTask(id, 'render', 5)],
      [['update'], () => pendingTasks.clearTrash(id, ['x'])],
      [['find'], () => pendingTasks.findReferenced(Array.from({ length: 500 }, (_, i) => `v${i}`))],
      [['findAndModify'], () => drops.remove('owner', slug, later)],
    ];
    for (const [expected, call] of calls) {
      const outcome = await commandsOf(connection, call);
      expect(outcome.commands, String(call)).to.deep.equal(expected);
      expect(outcome.result, String(call)).not.to.equal(null);
    }
  });

  describe('many at once', () => {
    it('give exactly 20 of 50 creates a place where 20 are', async () => {
      const outcomes = await inParallel(50, () => drops.create(aDrop(), 20, []));
      expect(outcomes.filter((outcome) => outcome === 'no_place')).to.have.length(30);
      expect(await drops.count('owner')).to.equal(20);
      const places = await dropModel(connection).distinct('place');
      expect(places.sort((a, b) => Number(a) - Number(b))).to.deep.equal(
        Array.from({ length: 20 }, (_, i) => i),
      );
    });

    it('give all of 30 creates a place where 30 are', async () => {
      const outcomes = await inParallel(30, () => drops.create(aDrop(), 30, []));
      expect(outcomes).not.to.include('no_place');
      expect(await drops.count('owner')).to.equal(30);
    });

    it('add exactly 199 of 220 versions up to the cap of 200, with numbers without gaps', async () => {
      const { id, slug } = await create();
      const outcomes = await inParallel(220, () => drops.addVersion('owner', slug, aVersion(), {}, 200, []));
      expect(outcomes.filter((outcome) => outcome === 'version_limit')).to.have.length(21);
      const numbers = (await drops.listVersions('owner', slug))?.map(({ number }) => number);
      expect(numbers).to.deep.equal(Array.from({ length: 200 }, (_, i) => 200 - i));
      await expectWhole(id);
    });

    it('keep head, numbers and trash right while versions come and go', async () => {
      const { id, slug } = await create();
      const ids = new Set<string>();
      const change = async (i: number) => {
        if (i % 3 > 0) return drops.removeVersion('owner', slug, 1 + (i % 11), later, []);
        const version = aVersion();
        ids.add(version.id);
        return drops.addVersion('owner', slug, version, {}, 200, []);
      };
      for (let round = 0; round < 5; round++) {
        const outcomes = await inParallel(60, (i) => change(i));
        expect(outcomes).not.to.include(null);
        await expectWhole(id);
      }
      const { trash, versionIds } = (await pendingTasks.find(id)) ?? { trash: [], versionIds: [] };
      expect(trash.length).to.be.above(0);
      const known = [...trash, ...versionIds];
      expect(new Set(known).size, 'an id is in one of the two').to.equal(known.length);
      expect(known).to.include.members([...ids]);
      expect(known).to.have.length(ids.size + 1);
    });
  });

  describe('hostile text', () => {
    const texts = [
      '$title',
      '$$ROOT',
      '{"$gt":""}',
      '$',
      '.$',
      'a.b',
      '__proto__',
      'a=b=c',
      ' 𝄞é ',
      '=',
      '{}',
      '[]',
    ];
    const keys = ['__proto__', 'constructor', 'a.b', 'x', '_id', '7', '$set'.slice(1), 'toString'];

    for (const text of texts) {
      it(`is kept as it is: ${text}`, async () => {
        const metadata = new Map(keys.map((key) => [key, text]));
        const details = { title: text, description: text, metadata };
        const lock = { id: text, hash: text };
        const plain = { title: 'x', description: null, metadata: new Map() };

        const { slug } = await create({ ...details, lock });
        await expectKept();
        await drops.changeDetails('owner', slug, plain, later, []);
        expect(await drops.changeDetails('owner', slug, details, later, [])).to.deep.include(details);
        await expectKept();
        await drops.changeDetails('owner', slug, plain, later, []);
        const version = aVersion({ mediaType: text });
        expect(await drops.addVersion('owner', slug, version, details, 200, [])).to.deep.include(details);
        await expectKept();
        expect((await drops.findVersion('owner', slug, 2))?.version).to.deep.equal({ ...version, number: 2 });
        await drops.setLock('owner', slug, null, later, []);
        await drops.setLock('owner', slug, lock, later, []);
        await expectKept();

        async function expectKept() {
          const found = await drops.find('owner', slug);
          expect(found).to.deep.include(details);
          expect([...(found?.metadata ?? [])]).to.deep.equal([...metadata]);
          expect(await drops.findPage(slug, null)).to.deep.include({ title: text, description: text, lock });
          const { drops: filtered } = await drops.list('owner', { ...listed, metadata: [...metadata] });
          expect(filtered).to.deep.equal([found]);
        }
      });
    }

    it('of an owner or a slug is no operator', async () => {
      const { slug } = await create({ ownerId: '$owner', slug: '$slug' });
      expect(await drops.find('$owner', slug)).to.include({ ownerId: '$owner', slug: '$slug' });
      expect(await drops.find('owner', '$slug')).to.equal(null);
    });
  });

  it('keeps the largest drop in 1/100 of what a document may be', async () => {
    const wide = (length: number) => '𝄞'.repeat(length);
    const metadata = new Map(Array.from({ length: 10 }, (_, i) => [`${i}`.padStart(64, 'k'), wide(256)]));
    const { id, slug } = await create({ title: wide(200), description: wide(500), metadata });
    for (let number = 2; number <= 200; number++) {
      await drops.addVersion('owner', slug, aVersion({ hasContext: true }), {}, 200, ['render', 'purge']);
    }
    const document = await dropModel(connection).findById(id).lean();
    expect(document?.versions).to.have.length(200);
    expect(mongoose.mongo.BSON.calculateObjectSize(document ?? {})).to.be.below((16 * 1024 * 1024) / 100);
  });

  /** What the drop says of its versions in several places agrees. */
  async function expectWhole(id: string): Promise<void> {
    const drop = await dropModel(connection).findById(id).lean();
    const numbers = drop?.versions.map(({ number }) => number) ?? [];
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a - b));
    expect(drop?.version_count).to.equal(numbers.length);
    expect(drop?.latest_version).to.equal(numbers.at(-1));
    expect(drop?.head).to.deep.equal(drop?.versions.at(-1));
  }
});

function made(outcome: Drop | string): Drop {
  if (typeof outcome === 'string') throw new Error(`Not made: ${outcome}`);
  return outcome;
}

/** The names of the commands that a call sends, sorted. */
async function commandsOf(connection: Connection, call: () => Promise<unknown>) {
  const commands: string[] = [];
  const note = ({ commandName }: { commandName: string }) => commands.push(commandName);
  const client = connection.getClient().on('commandStarted', note);
  try {
    const result = await call();
    return { commands: commands.sort(), result };
  } finally {
    client.off('commandStarted', note);
  }
}

describe('plans of the queries for drops in MongoDB', () => {
  let database: TestMongo;
  let connection: Connection;

  const owners = 20;
  const dropsEach = 200;
  const slug = 'slug-1-7';
  const ownerId = 'owner-1';

  before(async () => {
    database = await makeTestMongo();
    ({ connection } = database.mongo);
    const drops = dropModel(connection);
    const documents = Array.from({ length: owners * dropsEach }, (_, i) =>
      makeDocument(Math.floor(i / dropsEach), i % dropsEach),
    );
    // In one command: statistics that were taken of a few would make other plans for all.
    await drops.collection.insertMany(documents as never); // proof: they are what the adapter stores
  });

  after(() => database.giveBack());

  /** Each tenth is deleted, each tenth has pending tasks, each tenth has trash. */
  function makeDocument(owner: number, i: number) {
    const name = `${owner}-${i}`;
    const drop = aDrop({
      id: `drop-${name}`,
      ownerId: `owner-${owner}`,
      slug: `slug-${name}`,
      metadata: new Map([
        ['tenth', `${i % 10}`],
        ['third', `${i % 3}`],
      ]),
      version: aVersion({ id: `version-${name}`, createdAt: start + i }),
    });
    const { place, ...document } = toDocument(drop, i, i % 10 === 1 ? ['render'] : []);
    if (i % 10 === 2) return { ...document, place, trash: [`trash-${name}`], chores: true };
    if (i % 10 !== 3) return { ...document, place };
    return { ...document, pairs: [], deleted_at: later, chores: true };
  }

  const live = dropsEach * 0.9;
  const filter = (conditions: Query['filter']): Query => ({ filter: conditions, fields: {} });
  const pair = new Map([['tenth', '7']]);
  const pairs = new Map([...pair, ['third', '1']]);
  const ids = ['version-3-5', 'version-4-6', 'trash-5-2', 'none'];
  const page = (query: Partial<DropQuery>, metadata: Metadata = new Map()) =>
    pageOf(ownerId, { ...listed, ...query }, metadata) as Query; // proof: a first page is behind no list

  /** Each query with the indexes that serve it, and the most documents that may be read for it. */
  const queries: [name: string, query: Query, indexes: string[], documents: number][] = [
    ['find', ownDrop(ownerId, slug), ['drops_slug'], 1],
    ['listVersions', ownDrop(ownerId, slug, { versions: 1 }), ['drops_slug'], 1],
    ['findVersion', ownDrop(ownerId, slug, { latest_version: 1, ...versionOf(1) }), ['drops_slug'], 1],
    ['findPage of the head', pageAt(slug, null), ['drops_slug'], 1],
    ['findPage of a number', pageAt(slug, 1), ['drops_slug'], 1],
    ['changeDetails and setLock', filter(changeableBy(ownerId, slug)), ['drops_slug'], 1],
    ['remove', filter(ofOwner(ownerId, slug)), ['drops_slug'], 1],
    ['addVersion', filter(withRoom(ownerId, slug, 'new', 200)), ['drops_slug'], 1],
    ['a refused addVersion', ownDrop(ownerId, slug, isKnown('new')), ['drops_slug'], 1],
    ['removeVersion', filter(withSpare(ownerId, slug, 1)), ['drops_slug'], 1],
    ['findDrop and takeDown', filter(atSlug(slug)), ['drops_slug'], 1],
    ['restore', filter(takenDownAt(slug)), ['drops_slug'], 1],
    ['the places of create', placesOf(ownerId, 500), ['drops_place'], 0],
    ['a repeated create', withId('drop-1-7'), ['_id_'], 1],
    ['count', matching(ownerId, new Map()), ['drops_place'], live],
    ['count of one pair', matching(ownerId, pair), ['drops_pairs'], dropsEach / 10],
    ['count of two pairs', matching(ownerId, pairs), ['drops_pairs'], dropsEach / 3 + 1],
    ['list, newest first', page({}), ['drops_created'], 23],
    ['list, oldest first', page({ sortOrder: 'asc' }), ['drops_place'], live],
    ['listPending', withTasks(later, null, 100), ['drops_chores'], 100],
    [
      'listPending behind one',
      withTasks(later, { changedAt: start + 31, id: 'drop-7-31' }, 100),
      ['drops_chores'],
      120,
    ],
    ['findReferenced', naming(ids), ['drops_trash', 'drops_versions'], 3],
    ['find', tasksOf('drop-1-7'), ['_id_'], 1],
    ['clearTask', filter(atRev('drop-1-7', 1)), ['_id_'], 1],
    ['clearTrash', filter(withId('drop-1-7').filter), ['_id_'], 1],
    ['erase', filter(deletedWithId('drop-1-3')), ['_id_'], 1],
  ];
  for (const sortBy of sortFields) {
    for (const sortOrder of sortOrders) {
      const query = { sortBy, sortOrder };
      queries.push([`list of a pair by ${sortBy} ${sortOrder}`, page(query, pair), ['drops_pairs'], 20]);
      if (sortBy === 'created_at') continue;
      queries.push([`list by ${sortBy} ${sortOrder}`, page(query), ['drops_place'], live]);
    }
  }

  for (const [name, query, indexes, documents] of queries) {
    it(`${name}: ${indexes.join(' and ')}`, async () => {
      const plan = await explain(query, 'queryPlanner');
      expect(accessesOf(plan)).to.deep.equal(indexes);
      const { executionStats: stats } = await explain(query, 'executionStats');
      if (stats === undefined) return; // compatible servers do not tell
      expect(stats.totalDocsExamined).to.be.at.most(documents);
    });
  }

  it('tell of a scan of the collection, and of an index that is read from its start', async () => {
    const unbounded = { ...filter({ slug: { $exists: true } }), hint: 'drops_slug' };
    expect(accessesOf(await explain(filter({ title: 'x' }), 'queryPlanner'))).to.include(wholeCollection);
    expect(accessesOf(await explain(unbounded, 'queryPlanner'))).to.include('the whole of drops_slug');
  });

  it('are of queries that find something', async () => {
    const drops = dropModel(connection);
    for (const [name, { filter, fields, ...options }] of queries) {
      const found = await drops.find(filter, fields, options).lean();
      const findsNone = ['removeVersion', 'restore']; // no drop has two, and none is taken down
      if (!findsNone.includes(name)) expect(found, name).to.have.length.above(0);
    }
  });

  async function explain(query: Query, verbosity: 'queryPlanner' | 'executionStats'): Promise<Explained> {
    const { filter, fields, ...options } = query;
    const explained: unknown = await dropModel(connection).find(filter, fields, options).explain(verbosity);
    return explained as Explained; // proof: what both kinds of servers document; see accessesOf
  }
});

interface Explained {
  readonly queryPlanner: object;
  readonly executionStats?: { readonly totalDocsExamined: number };
}

/**
 * What the plan reads, sorted: indexes of MongoDB's stages or of PostgreSQL's nodes below DocumentDB, each told
 * apart where it is read from its start, which is as dear as the whole collection.
 */
function accessesOf({ queryPlanner }: Explained): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const access = accessOf(node as Record<string, unknown>); // proof: an object of JSON
    if (access !== null) found.add(access);
    for (const [name, below] of Object.entries(node)) if (!notRun.has(name)) visit(below);
  };
  visit(queryPlanner);
  return [...found].sort();
}

/** Parts of a plan that tell of what was thought about and not chosen. */
const notRun = new Set(['rejectedPlans', 'IndexCosts']);
const wholeCollection = 'the whole collection';

function accessOf(node: Record<string, unknown>): string | null {
  const name = node.indexName ?? node['Index Name'];
  if (node.stage === 'IDHACK') return '_id_';
  if (node.stage === 'COLLSCAN' || node['Node Type'] === 'Seq Scan') return wholeCollection;
  if (typeof name !== 'string') return null;
  // DocumentDB's index of ids begins with the collection, and tells no bounds.
  const condition = node['Index Cond'];
  if (name === '_id_' && typeof condition === 'string' && !condition.includes('object_id'))
    return wholeCollection;
  const [firstBound = ''] = (JSON.stringify(node.indexBounds) ?? '').split(',');
  return firstBound.includes('MinKey') ? `the whole of ${name}` : name;
}
