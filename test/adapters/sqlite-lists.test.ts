import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteStores } from '../../shared/adapters/sqlite/stores.ts';
import { aDrop } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('Parallel lists of SQLite', () => {
  let db: Database;
  before(() => {
    db = openDatabase(join(makeTempDir(), 'dropleaf.sqlite'));
  });
  after(() => db.close());

  it('run one at a time, and the event loop has turns for other requests between them', async () => {
    const { drops } = createSqliteStores(db, createTestClock());
    await drops.create(aDrop({ title: 'One' }), 500, []);
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
    const query = { page: 1, pageSize: 50, sortBy: 'created_at', sortOrder: 'desc', metadata: [] } as const;
    const list = async (more: object = {}) => {
      const { total } = await drops.list('owner', { ...query, ...more });
      return { total, turns };
    };
    const filter = { metadata: [['k', 'v']] };
    const found = await Promise.all([list(), list({ search: 'one' }), list(filter), list()]);
    isOver = true;
    await others;
    expect(found.map(({ total }) => total)).to.deep.equal([1, 1, 0, 1]);
    const ended = found.map((list) => list.turns);
    expect(ended, 'one after the other').to.deep.equal([...new Set(ended)].sort((a, b) => a - b));
  });

  it('read a long page in parts, between which others have turns', async () => {
    const { drops } = createSqliteStores(db, createTestClock());
    for (let n = 0; n < 120; n++) await drops.create(aDrop({ ownerId: 'many' }), 500, []);
    const { now } = performance;
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns++) await nextTurn();
    })();
    let ms = 0;
    performance.now = () => {
      ms += 6; // so that every part has taken its time
      return ms;
    };
    try {
      const query = {
        page: 1,
        pageSize: 120,
        sortBy: 'created_at',
        sortOrder: 'desc',
        metadata: [],
      } as const;
      expect((await drops.list('many', query)).drops).to.have.length(120);
    } finally {
      performance.now = now;
      isOver = true;
    }
    await others;
    expect(turns).to.be.at.least(3);
  });
});
