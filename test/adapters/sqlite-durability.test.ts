import { cpSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { openCheckpointer } from '../../shared/sqlite/checkpoint-thread.ts';
import { Checkpoints } from '../../shared/sqlite/checkpoints.ts';
import { type Database, type DatabaseReports, openDatabase } from '../../shared/sqlite/database.ts';
import { rejectionOf } from '../support/rejection.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

type Flush = (flush: () => Promise<void>) => Promise<void>;

/** Ends when the test says so. */
interface HeldFlush {
  succeed(): void;
  fail(): void;
}

// An acknowledged write survives a power cut: its answer waits for a flush of the write-ahead log that began after its commit.
describe('Durability of the SQLite database', () => {
  let path: string;
  const opened: Database[] = [];

  beforeEach(() => {
    path = join(makeTempDir(), 'dropleaf.sqlite');
  });

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close();
  });

  /** A table of notes in a database whose flushes are made by `flush`. */
  async function openNotes(flush: Flush, reports: DatabaseReports = {}) {
    const db = openDatabase(path, { flush, reports });
    opened.push(db);
    await db.write(() => db.prepare('CREATE TABLE IF NOT EXISTS notes (text TEXT)').run());
    const insert = db.prepare('INSERT INTO notes (text) VALUES (?)');
    const list = db.prepareTuples<[string]>('SELECT text FROM notes ORDER BY rowid');
    return {
      db,
      note: (text: string) => db.write(() => insert.run(text)),
      noteDerived: (text: string) => db.writeDerived(() => insert.run(text)),
      notes: () => list.all().map(([text]) => text),
    };
  }

  /** Flushes that the test ends, once `hold` is called. */
  function holdFlushes() {
    const held: HeldFlush[] = [];
    let isHeld = false;
    const flush: Flush = (really) => {
      if (!isHeld) return really();
      return new Promise((resolve, reject) => {
        held.push({ succeed: () => resolve(really()), fail: () => reject(inputOutputError()) });
      });
    };
    return {
      flush,
      held,
      hold: () => {
        isHeld = true;
      },
      release: () => {
        isHeld = false;
        for (const one of held.splice(0)) one.succeed();
      },
    };
  }

  function inputOutputError(): Error {
    return Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
  }

  /** What has become of the promises, after everything that could settle them has run. */
  async function statesOf(...promises: Promise<unknown>[]): Promise<string[]> {
    const states = promises.map(() => 'pending');
    promises.forEach((promise, n) => {
      promise.then(
        () => states.splice(n, 1, 'kept'),
        () => states.splice(n, 1, 'refused'),
      );
    });
    await turns();
    return states;
  }

  async function turns(): Promise<void> {
    for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
  }

  function expectDiskFailed(error: unknown): void {
    expect(error).to.be.instanceOf(DropError);
    expect(error).to.include({ code: 'unavailable' });
    expect(error).to.have.property('details').that.includes({ reason: 'disk_failed' });
  }

  it('writes that come during a flush share the next transaction and the next flush', async () => {
    const { flush, held, hold, release } = holdFlushes();
    const transactions: number[] = [];
    const { note, notes } = await openNotes(flush, { onTransaction: (writes) => transactions.push(writes) });
    hold();
    const early = note('early');
    await turns();
    expect(held, 'the flush for the first write runs').to.have.length(1);
    expect(notes(), 'readers see a commit that waits').to.deep.equal(['early']);
    const late = note('late');
    await turns();
    const later = note('later');
    expect(await statesOf(early, late, later)).to.deep.equal(['pending', 'pending', 'pending']);
    expect(held, 'one flush at a time').to.have.length(1);

    held[0]?.succeed();
    await early;
    expect(await statesOf(early, late, later)).to.deep.equal(['kept', 'pending', 'pending']);
    expect(held).to.have.length(2);
    expect(transactions.slice(-2)).to.deep.equal([1, 2]);
    held[1]?.succeed();
    await Promise.all([late, later]);
    release();
  });

  it('a flush covers only the commits that were made before it began', async () => {
    const { flush, held, hold, release } = holdFlushes();
    const { db, note } = await openNotes(flush);
    hold();
    const early = note('early');
    await turns();
    const late = note('late');
    const closing = db.close(); // commits at once what waits
    await turns();
    held[0]?.succeed();
    await early;
    expect(await statesOf(early, late, closing)).to.deep.equal(['kept', 'pending', 'pending']);
    expect(held).to.have.length(2);
    release();
    await Promise.all([late, closing]);
  });

  it('one transaction takes 5 ms of writes, and other work comes before the next one', async () => {
    const { flush } = holdFlushes();
    const transactions: number[] = [];
    const { db } = await openNotes(flush, { onTransaction: (writes) => transactions.push(writes) });
    transactions.length = 0;
    const slow = () => {
      const end = performance.now() + 6;
      while (performance.now() < end);
    };
    const order: string[] = [];
    const written = [1, 2].map((n) => db.write(slow).then(() => order.push(`write ${n}`)));
    await turns();
    await Promise.all(written);
    expect(transactions).to.deep.equal([1, 1]);
    expect(order).to.deep.equal(['write 1', 'write 2']);
  });

  it('a write that changes nothing waits, too: what it has read may not be on the disk yet', async () => {
    const { flush, hold, release } = holdFlushes();
    const { db, note, notes } = await openNotes(flush);
    hold();
    const written = note('a');
    const repeated = db.write(() => notes().length);
    expect(await statesOf(written, repeated)).to.deep.equal(['pending', 'pending']);
    release();
    expect(await repeated).to.equal(1);
  });

  it('derived data wait for no flush', async () => {
    const { flush, held, hold, release } = holdFlushes();
    const { note, noteDerived } = await openNotes(flush);
    hold();
    await noteDerived('derived');
    expect(held).to.have.length(0);
    const lasting = note('lasting');
    await noteDerived('derived, beside a write that waits');
    expect(await statesOf(lasting)).to.deep.equal(['pending']);
    release();
    await lasting;
  });

  it('closing waits for the flush of what was committed', async () => {
    const { flush, held, hold, release } = holdFlushes();
    const { db, note } = await openNotes(flush);
    hold();
    const written = note('a');
    const closing = db.close();
    expect(await statesOf(written, closing)).to.deep.equal(['pending', 'pending']);
    expect(held).to.have.length(1);
    release();
    await Promise.all([written, closing]);
  });

  it('after a failed flush all that waits is refused, and new writes, until the log was written again and flushed', async () => {
    const { flush, held, hold, release } = holdFlushes();
    const reports: string[] = [];
    const { db, note, notes } = await openNotes(flush, {
      diskFailed: ({ reason }) => reports.push(reason),
      diskRecovered: () => reports.push('recovered'),
    });
    hold();
    const first = note('first');
    await turns();
    const second = note('second');
    await turns();
    const written = statSync(`${path}-wal`, { bigint: true }).mtimeNs;
    held.shift()?.fail();
    for (const refused of [first, second]) expectDiskFailed(await rejectionOf(refused));
    expectDiskFailed(await rejectionOf(note('third')));
    expectDiskFailed(await rejectionOf(db.writeDerived(() => undefined)));
    expectDiskFailed(await rejectionOf(Promise.resolve().then(() => db.check())));
    expect(notes(), 'reading goes on').to.deep.equal(['first']);
    expect(db.countUncertain()).to.equal(1);

    await until(() => held.length === 1, 'the log is flushed again');
    expect(statSync(`${path}-wal`, { bigint: true }).mtimeNs > written, 'written again').to.equal(true);
    const other = new DatabaseSync(path);
    expect(() => other.exec('BEGIN IMMEDIATE'), 'nobody writes meanwhile').to.throw(/locked/);
    other.close();
    expectDiskFailed(await rejectionOf(note('fourth')));
    release();
    await until(() => reports.includes('recovered'), 'the disk works again');
    db.check();
    await note('fifth');
    expect(notes()).to.deep.equal(['first', 'fifth']);
    expect(reports).to.deep.equal(['disk_failed', 'recovered']);
    expect(db.findDamage()).to.deep.equal([]);
  });

  it('the log is written again until a flush succeeds', async () => {
    let failures = 0;
    const flush: Flush = async (really) => {
      if (failures === 0) return really();
      failures -= 1;
      throw inputOutputError();
    };
    let reported = 0;
    const onFlush = (seconds: number | null) => {
      if (seconds === null) reported += 1;
    };
    const { db, note } = await openNotes(flush, { onFlush });
    failures = 2;
    expectDiskFailed(await rejectionOf(note('a')));
    await until(
      () =>
        note('b').then(
          () => true,
          () => false,
        ),
      'writes work again',
    );
    expect(failures).to.equal(0);
    expect(reported, 'the flush and the first attempt to write the log again').to.equal(2);
    expect(db.findDamage()).to.deep.equal([]);
  });

  it('an error that is not known as one of the disk is a failed flush as well', async () => {
    let isFailing = false;
    const flush: Flush = async (really) => {
      if (!isFailing) return really();
      isFailing = false;
      throw new Error('something else');
    };
    const { note } = await openNotes(flush);
    isFailing = true;
    expectDiskFailed(await rejectionOf(note('a')));
  });

  it('a database that is closed after a failed flush has its log written again first', async () => {
    let isFailing = false;
    const flush: Flush = async (really) => {
      if (isFailing) throw inputOutputError();
      return really();
    };
    const { db, note } = await openNotes(flush);
    isFailing = true;
    expectDiskFailed(await rejectionOf(note('a')));
    await db.close();
    isFailing = false;
    const again = await openNotes(flush);
    expect(again.notes()).to.deep.equal(['a']);
    expect(again.db.findDamage()).to.deep.equal([]);
  });

  it('what a killed process has left in the log is kept when the database is opened', async () => {
    const { note } = await openNotes((really) => really());
    await note('a');
    const left = makeTempDir();
    for (const side of ['', '-wal']) cpSync(path + side, join(left, `dropleaf.sqlite${side}`));
    const before = readFileSync(join(left, 'dropleaf.sqlite-wal'));
    path = join(left, 'dropleaf.sqlite');
    const again = openDatabase(path);
    opened.push(again);
    expect(readFileSync(`${path}-wal`).subarray(0, before.length).equals(before), 'the same bytes').to.equal(
      true,
    );
    expect(again.prepareTuples('SELECT text FROM notes').all()).to.deep.equal([['a']]);
    expect(again.findDamage()).to.deep.equal([]);
  });

  it('a checkpoint flushes the log before it copies pages, on whichever connection it runs', async () => {
    const { db } = await openNotes((really) => really());
    const normal = 1;
    const full = 2;
    const checkpointer = openCheckpointer(path);
    expect(checkpointer.prepare('PRAGMA synchronous').get().synchronous).to.equal(full);
    checkpointer.close();
    expect(db.prepareTuples('PRAGMA synchronous').get()).to.deep.equal([normal]);
  });

  it('no checkpoint begins while they are paused', async () => {
    const writer = new DatabaseSync(path); // no checkpoints of its own, which would be due for the long WAL, too
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE notes (text TEXT)');
    writer.prepare('INSERT INTO notes (text) VALUES (?)').run('x'.repeat(1_000_000));
    const longWal = 1_024 * 1024 * 1024;
    const lengths: number[] = [];
    const checkpoints = new Checkpoints(path, {
      isExternal: true,
      onError: (error) => expect.fail(String(error)),
      onLongWal: (bytes) => lengths.push(bytes),
    });
    await checkpoints.pause();
    const before = statSync(path).size;
    truncateSync(`${path}-wal`, longWal); // sparse
    checkpoints.noteWrite();
    await until(() => lengths.length === 1, 'a checkpoint would be due');
    expect(statSync(path).size).to.equal(before);
    checkpoints.resume();
    checkpoints.noteWrite();
    await until(() => statSync(path).size > before, 'the file holds the note');
    await checkpoints.close();
    expect(writer.prepare('PRAGMA integrity_check').all()).to.deep.equal([{ integrity_check: 'ok' }]);
    writer.close();
  });
});
