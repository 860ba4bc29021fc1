import { stat } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { SqlitePageChanges } from '../../shared/pages/sqlite.ts';
import { type Database, openDatabase } from '../../shared/sqlite/database.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

const anyWrite = 'INSERT INTO job_schedules (name, next_at) VALUES (hex(randomblob(8)), 0)';

describe('Changes of pages on SQLite', () => {
  let path: string;
  const opened: Database[] = [];

  beforeEach(() => {
    path = join(makeTempDir(), 'dropleaf.sqlite');
  });

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close();
  });

  function open(flush?: (really: () => Promise<void>) => Promise<void>): Database {
    const db = openDatabase(path, flush && { flush });
    opened.push(db);
    return db;
  }

  /** A process that serves pages, and the `dropleaf` command that changes something. */
  async function openScene() {
    const db = open();
    let checks = 0;
    const counting: Database = {
      ...methodsOf(db),
      prepareTuples<Row>(sql: string) {
        const statement = db.prepareTuples<Row>(sql);
        return {
          ...statement,
          get() {
            checks += 1;
            return statement.get();
          },
        };
      },
    };
    const command = open();
    const changes = new SqlitePageChanges(counting);
    changes.isCurrent(0); // the first check
    await aTurn();
    const change = command.prepare(anyWrite);
    return { db, changes, change: () => change.run(), checks: () => checks };
  }

  it('a page stays current until another process commits; what is read then is current again', async () => {
    const { changes, change } = await openScene();
    const asOf = changes.now();
    for (let n = 0; n < 3; n++) {
      await aTurn();
      expect(changes.isCurrent(asOf)).to.equal(true);
    }
    change();
    await aTurn();
    expect(changes.isCurrent(asOf)).to.equal(false);
    const later = changes.now();
    expect([changes.isCurrent(later), changes.isCurrent(asOf)]).to.deep.equal([true, false]);
  });

  it('no page stays current after a write that was committed and refused, because it gives no notice', async () => {
    let isFailing = false;
    const db = open(async (really) => {
      if (isFailing) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
      await really();
    });
    const changes = new SqlitePageChanges(db);
    const asOf = changes.now();
    expect(changes.isCurrent(asOf)).to.equal(true);
    isFailing = true;
    const change = db.prepare(anyWrite);
    const outcome = await Promise.allSettled([db.write(() => change.run())]);
    isFailing = false;
    expect(outcome[0]?.status).to.equal('rejected');
    await aTurn();
    expect(changes.isCurrent(asOf)).to.equal(false);
    expect(changes.isCurrent(changes.now())).to.equal(true);
  });

  it('a write of this process leaves other pages current; the changed page is told to every listener', async () => {
    const { db, changes } = await openScene();
    const told: string[] = [];
    for (const name of ['a', 'b']) changes.subscribe((slug) => void told.push(`${name} ${slug}`));
    const asOf = changes.now();
    const write = db.prepare(anyWrite);
    await db.write(() => write.run());
    const published = changes.publish('abc');
    expect(told, 'in the same step').to.deep.equal(['a abc', 'b abc']);
    await published;
    await aTurn();
    expect(changes.isCurrent(asOf)).to.equal(true);
  });

  it('looks for commits once per turn of the event loop, and again after 1 ms', async () => {
    const { changes, checks } = await openScene();
    const before = checks();
    const begun = performance.now();
    for (let turn = 1; turn <= 3; turn++) {
      await aTurn();
      for (let n = 0; n < 50; n++) changes.isCurrent(changes.now());
      expect(checks() - before).to.be.within(turn, turn + performance.now() - begun);
    }
  });

  it('notices a commit although another request of the same turn took long', async () => {
    const { changes, change } = await openScene();
    const asOf = changes.now();
    expect(changes.isCurrent(asOf)).to.equal(true);
    change();
    standStill(2);
    expect(changes.isCurrent(asOf)).to.equal(false);
  });

  it('notices a commit before a request that arrived after it, also if it looked in the check phase', async () => {
    const { changes, change } = await openScene();
    const asOf = changes.now();
    const isCurrent = await new Promise<boolean>((resolve) => {
      setImmediate(() => {
        changes.isCurrent(asOf);
        change();
        // A finished system call is handled before the next immediates, so in the same turn as the check.
        stat(path, () => resolve(changes.isCurrent(asOf)));
        standStill(20);
      });
    });
    expect(isCurrent).to.equal(false);
  });

  it('serves nothing from memory if the file cannot be read', async () => {
    const { db, changes } = await openScene();
    await db.close();
    for (let n = 0; n < 2; n++) {
      await aTurn();
      expect(changes.isCurrent(changes.now())).to.equal(false);
    }
  });
});

function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
