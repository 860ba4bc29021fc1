import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Database, openDatabase, type Values } from '../../shared/sqlite/database.ts';
import { createSqliteStores } from '../../shared/sqlite/stores.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { aDrop, makeDrop, newestFirst } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('Parallel lists of SQLite', () => {
  const { now } = performance;
  let db: Database;
  let ms = 0;
  let turns = 0;
  let isOver = false;
  let others: Promise<void>;

  before(() => {
    db = openDatabase(join(makeTempDir(), 'dropleaf.sqlite'));
  });
  after(() => db.close());
  afterEach(() => {
    performance.now = now;
  });

  /** From now on the clock stands still, and other work counts its turns of the event loop. */
  function countTurns(): void {
    performance.now = () => ms;
    turns = 0;
    isOver = false;
    others = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
  }

  async function stopCounting(): Promise<void> {
    isOver = true;
    await others;
  }

  it('run one at a time, and the event loop has turns for other requests between them', async () => {
    const { drops } = createSqliteStores(db, createTestClock());
    await drops.create(aDrop({ title: 'One' }), 500, []);
    countTurns();
    const list = async (more: object = {}) => {
      const { total } = await drops.list('owner', { ...newestFirst, ...more });
      return { total, turns };
    };
    const filter = { metadata: [['k', 'v']] };
    const found = await Promise.all([list(), list({ search: 'one' }), list(filter), list()]);
    await stopCounting();
    expect(found.map(({ total }) => total)).to.deep.equal([1, 1, 0, 1]);
    const ended = found.map((list) => list.turns);
    for (const [n, turn] of ended.slice(1).entries()) expect(turn - (ended[n] ?? 0)).to.be.at.least(5);
  });

  it('read a long page in parts, between which others have turns', async () => {
    const { drops } = createSqliteStores(slow(db), createTestClock());
    for (let n = 0; n < 120; n++) await makeDrop({ drops }, { ownerId: 'many' });
    countTurns();
    expect((await drops.list('many', { ...newestFirst, pageSize: 120 })).drops).to.have.length(120);
    await stopCounting();
    expect(turns).to.be.at.least(15); // before each of three parts
  });

  it('count many tags in parts, between which others have turns', async () => {
    const { drops } = createSqliteStores(slow(db), createTestClock());
    const metadata = new Map(Array.from({ length: 2500 }, (_, n) => [`k${1000 + n}`, 'v']));
    const twice = new Map(['k3499', 'k2100', 'k1000'].map((key) => [key, 'v']));
    for (const pairs of [metadata, twice]) await makeDrop({ drops }, { ownerId: 'tags', metadata: pairs });
    countTurns();
    const counted = await drops.countTags('tags', 4);
    await stopCounting();
    expect(counted.map(({ key, count }) => `${key} ${count}`)).to.deep.equal([
      'k1000 2',
      'k2100 2',
      'k3499 2',
      'k1001 1',
    ]);
    expect(turns).to.be.at.least(10); // between three parts
  });

  /** Each read takes 6 ms of the clock, which is longer than a turn may take. */
  function slow(database: Database): Database {
    const takeTime = <T>(read: T) => {
      ms += 6;
      return read;
    };
    const prepareTuples: Database['prepareTuples'] = <Row>(sql: string) => {
      const statement = database.prepareTuples<Row>(sql);
      return {
        ...statement,
        get: (...values: Values) => takeTime(statement.get(...values)),
        all: (...values: Values) => takeTime(statement.all(...values)),
      };
    };
    return { ...methodsOf(database), prepareTuples };
  }
});
