import { stat } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteDropStore } from '../../shared/adapters/sqlite/drop-store.ts';
import { createPageMemory } from '../../shared/adapters/sqlite/page-memory.ts';
import { createSqlitePendingTaskStore } from '../../shared/adapters/sqlite/pending-task-store.ts';
import { createSqliteViewStore } from '../../shared/adapters/sqlite/view-store.ts';
import type { Page } from '../../shared/domain/drop.ts';
import type { DropStore } from '../../shared/ports/drop-store.ts';
import { aDrop, aVersion, later, start } from '../contract/records.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const cap = 500;
const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Page memory of the SQLite engine', () => {
  let path: string;
  const opened: Database[] = [];

  beforeEach(() => {
    path = join(makeTempDir(), 'dropleaf.sqlite');
  });

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close();
  });

  function open(): Database {
    const db = openDatabase(path);
    opened.push(db);
    return db;
  }

  function storeOver(db: Database) {
    return createSqliteDropStore(db, createPageMemory(db));
  }

  /** A store that counts its reads, and a store over another connection, such as an operator's command has. */
  async function openScene() {
    const db = open();
    const reads = { pages: 0, versions: 0, changes: 0 };
    const drops = storeOver(counting(db, reads));
    const elsewhere = storeOver(open());
    const drop = aDrop({ title: 'First' });
    await drops.create(drop, cap, []);
    const { slug } = drop;
    const titleHere = async () => (await drops.findPage(slug, null))?.title;
    return { db, reads, drops, elsewhere, drop, slug, titleHere };
  }

  it('reads the latest version once, also if it is asked for by number, and other versions once each', async () => {
    const { drops, slug, reads } = await openScene();
    await drops.addVersion('owner', slug, aVersion({ createdAt: later }), {}, cap, []);
    for (let n = 0; n < 5; n++) {
      await aTurn();
      for (const number of [null, 2, 1]) expect(await drops.findPage(slug, number)).to.be.an('object');
    }
    expect(reads).to.deep.include({ pages: 2, versions: 1 });
  });

  it('checks data_version once per turn of the event loop', async () => {
    const { drops, slug, reads } = await openScene();
    await aTurn();
    reads.changes = 0;
    for (let turn = 1; turn <= 3; turn++) {
      for (let n = 0; n < 50; n++) await drops.findPage(slug, null);
      expect(reads.changes).to.equal(turn);
      await aTurn();
    }
  });

  describe('after a write over this connection', () => {
    it('shows the old page until the commit', async () => {
      const { drops, slug, titleHere } = await openScene();
      const changed = drops.changeDetails('owner', slug, { title: 'Second' }, later, []);
      expect(await titleHere()).to.equal('First');
      await changed;
      expect(await titleHere()).to.equal('Second');
    });

    it('shows the old page if the commit fails', async () => {
      const { db, drops, slug, titleHere } = await openScene();
      const orphan = db.prepare("INSERT INTO drop_trash (drop_id, version_id) VALUES ('none', 'v')");
      await titleHere();
      const outcomes = await Promise.allSettled([
        drops.changeDetails('owner', slug, { title: 'Second' }, later, []),
        db.write(() => {
          db.prepare('PRAGMA defer_foreign_keys = ON').get();
          orphan.run(); // detected at the commit
        }),
      ]);
      expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
      expect(await titleHere()).to.equal('First');
    });
  });

  describe('after a commit of another connection', () => {
    it('shows the new page to a request that arrived after the commit, also if data_version was checked in the check phase', async () => {
      const { slug, titleHere, drops } = await openScene();
      const other = open();
      const change = other.prepare("UPDATE drops SET title = 'Second'");
      await titleHere();
      const title = await new Promise<unknown>((resolve, reject) => {
        setImmediate(() => {
          void drops.findPage(slug, null); // checks data_version
          change.run(); // autocommit
          // A finished system call is handled before the next immediates, so in the same turn as the check.
          stat(path, () => titleHere().then(resolve, reject));
          standStill(20);
        });
      });
      expect(title).to.equal('Second');
    });

    it('serves nothing if the file cannot be read', async () => {
      const { db, drops, slug, titleHere } = await openScene();
      await titleHere();
      await db.close();
      for (let n = 0; n < 2; n++) {
        await aTurn();
        expect(() => drops.findPage(slug, null)).to.throw('closed');
      }
    });
  });

  it('does not cache missing drops and versions', async () => {
    const { drops, slug, reads } = await openScene();
    await drops.findPage(slug, null);
    reads.pages = 0;
    for (let n = 0; n < 3; n++) {
      expect(await drops.findPage('other', null)).to.equal(null);
      expect(await drops.findPage(slug, 2)).to.deep.include({ version: null });
    }
    expect(reads.pages).to.equal(6);
    await drops.create(aDrop({ slug: 'other' }), cap, []);
    await drops.addVersion('owner', slug, aVersion(), {}, cap, []);
    expect(await drops.findPage('other', null)).to.deep.include({ latestVersion: 1 });
    expect((await drops.findPage(slug, 2))?.version).to.deep.include({ number: 2 });
  });

  it('holds at most 10,000 pages, each with the latest version and four others', () => {
    const memory = createPageMemory(open());
    const pageOf = (slug: string, number: number): Page => ({
      ...{ dropId: slug, slug, title: 't', description: null, lock: null, isTakenDown: false },
      latestVersion: 9,
      version: { ...aVersion(), number },
    });
    memory.recall('s0', null); // checks data_version, once in this turn
    for (let n = 0; n <= 10_000; n++) memory.keep(pageOf(`s${n}`, 9), null, pageOf(`s${n}`, 9));
    expect(memory.recall('s0', null)).to.equal(null);
    expect(memory.recall('s1', null)).to.deep.include({ slug: 's1' });
    for (let number = 1; number <= 5; number++) memory.keep(pageOf('s1', 9), number, pageOf('s1', number));
    const known = [1, 2, 5, 9].map((number) => memory.recall('s1', number)?.version?.number);
    expect(known).to.deep.equal([undefined, 2, 5, 9]);
  });

  it('always equals a store without memory, whatever both connections do', async () => {
    const dice = createDice(20_261_121);
    const slugs = ['a', 'b', 'c'];
    const db = open();
    const other = open();
    const drops = storeOver(db);
    const sides = [db, other].map((one) => ({
      drops: one === db ? drops : storeOver(one),
      pendingTasks: createSqlitePendingTaskStore(one),
      views: createSqliteViewStore(one),
    }));
    let done = 0;
    for (let round = 0; round < 60; round++) {
      const work = Array.from({ length: 1 + dice(4) }, async () => {
        if (dice(3) === 0) await aTurn();
        const side = sides[dice(4) === 0 ? 1 : 0] ?? sides[0];
        const slug = slugs[dice(slugs.length)] ?? 'a';
        if (side !== undefined) await changeSomehow(side, slug, dice);
        await pagesOf(drops, slug);
        done += 1;
      });
      await Promise.all([...work, ...slugs.map((slug) => pagesOf(drops, slug))]);
      await aTurn();
      for (const slug of slugs) {
        const fresh = storeOver(other);
        expect(await pagesOf(drops, slug), `round ${round}`).to.deep.equal(await pagesOf(fresh, slug));
      }
    }
    expect(done).to.be.above(100);
  });
});

interface Side {
  readonly drops: DropStore;
  readonly pendingTasks: ReturnType<typeof createSqlitePendingTaskStore>;
  readonly views: ReturnType<typeof createSqliteViewStore>;
}

/** One random write. Many change nothing. */
async function changeSomehow({ drops, pendingTasks, views }: Side, slug: string, dice: Dice): Promise<void> {
  const version = aVersion({ createdAt: start + dice(1_000) });
  const title = `Title ${dice(1_000)}`;
  const lock = dice(2) === 0 ? null : { id: `l${dice(1_000)}`, hash: 'h' };
  const kinds: (() => Promise<unknown>)[] = [
    () => drops.create(aDrop({ slug, title, version }), cap, []),
    () => drops.addVersion('owner', slug, version, { title }, cap, ['render']),
    () => drops.addVersion('owner', slug, version, {}, 3, ['render']),
    () => drops.changeDetails('owner', slug, { title }, later, ['purge']),
    () => drops.setLock('owner', slug, lock, later, ['purge']),
    () => drops.removeVersion('owner', slug, 1 + dice(4), later, []),
    async () => {
      const dropId = await drops.remove('owner', slug, later);
      if (dropId !== null && dice(2) === 0) await pendingTasks.erase(dropId); // the slug may be reused
    },
    async () => {
      const page = await drops.findPage(slug, null);
      if (page !== null) await views.add('writer', 1, [{ dropId: page.dropId, day: '2026-01-31', count: 1 }]);
    },
  ];
  await kinds[dice(kinds.length)]?.();
}

/** Every version of a slug. */
function pagesOf(drops: DropStore, slug: string): Promise<(Page | null)[]> {
  return Promise.all([null, 1, 2, 3, 4, 5, 6].map((number) => drops.findPage(slug, number)));
}

/** The database with counters of the page reads. */
function counting(db: Database, reads: { pages: number; versions: number; changes: number }): Database {
  const kinds = [
    [/^SELECT id, slug, title.*WHERE slug = \? AND deleted_at IS NULL$/, 'pages'],
    [/FROM drop_versions WHERE drop_id = \? AND number = \?$/, 'versions'],
    [/^PRAGMA data_version$/, 'changes'],
  ] as const;
  return {
    ...db,
    prepareTuples(sql) {
      const statement = db.prepareTuples(sql);
      const line = sql.replace(/\s+/g, ' ');
      const kind = kinds.find(([pattern]) => pattern.test(line))?.[1];
      if (kind === undefined) return statement;
      return {
        ...statement,
        get(...values) {
          reads[kind] += 1;
          return statement.get(...values);
        },
      };
    },
  };
}

type Dice = (sides: number) => number;

/** The same numbers in each run (mulberry32). */
function createDice(seed: number): Dice {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
