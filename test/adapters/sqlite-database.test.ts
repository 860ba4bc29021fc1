import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { DropError } from '../../shared/domain/errors.ts';
import { lockDataDir } from '../../shared/sqlite/data-dir.ts';
import { type Database, type DatabaseReports, openDatabase } from '../../shared/sqlite/database.ts';
import { createSqliteStores } from '../../shared/sqlite/stores.ts';
import { aDrop, at, later, tags } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { rejectionOf } from '../support/rejection.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const adapters = new URL('../../shared/sqlite/', import.meta.url);

describe('SQLite database', () => {
  let dir: string;
  let path: string;
  const opened: Database[] = [];
  const children: ChildProcess[] = [];

  beforeEach(() => {
    dir = makeTempDir();
    path = join(dir, 'dropleaf.sqlite');
  });

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.close();
    for (const child of children.splice(0)) await kill(child);
  });

  function open(reports?: DatabaseReports): Database {
    const db = openDatabase(path, reports && { reports });
    opened.push(db);
    return db;
  }

  /** Another process, as a module that may use the adapters. `lines` are those that it prints. */
  function run(program: string): { child: ChildProcess; lines: () => string[]; line: () => Promise<string> } {
    const imports = `
      import { openDatabase } from '${new URL('database.js', adapters)}';
      import { lockDataDir } from '${new URL('data-dir.js', adapters)}';
      const [dir, path] = ${JSON.stringify([dir, path])};`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', imports + program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    const lines = () => text.split('\n').slice(0, -1);
    const line = async () => {
      while (lines().length === 0) await once(child.stdout, 'data');
      return lines()[0] ?? '';
    };
    return { child, lines, line };
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  const isKept = ({ status }: { status: string }) => status === 'fulfilled';

  /** A table of notes, and what it is written and read with. */
  async function openNotes(reports?: DatabaseReports) {
    const db = open(reports);
    await db.write(() => db.prepare('CREATE TABLE IF NOT EXISTS notes (text TEXT UNIQUE)').run());
    const insert = db.prepare('INSERT INTO notes (text) VALUES (?)');
    const list = db.prepareTuples('SELECT text FROM notes ORDER BY rowid');
    return {
      db,
      note: (text: string) => db.write(() => insert.run(text)),
      insert: (text: string) => insert.run(text),
      notes: () => (list.all() as [string][]).map(([text]) => text),
    };
  }

  /** What a connection of its own reads. */
  function readElsewhere(sql: string): unknown[] {
    const other = new DatabaseSync(path);
    try {
      return other.prepare(sql).all();
    } finally {
      other.close();
    }
  }

  function expectUnavailable(error: unknown): void {
    expect(error).to.be.instanceOf(DropError);
    expect(error).to.include({ code: 'unavailable' });
  }

  describe('write', () => {
    it('undoes and rejects only the write that throws', async () => {
      const { db, note, insert, notes } = await openNotes();
      const fault = new Error('no');
      const outcomes = await Promise.allSettled([
        note('before'),
        db.write(() => {
          insert('half');
          throw fault;
        }),
        note('after'),
        note('before'),
      ]);
      expect(outcomes.map(isKept)).to.deep.equal([true, false, true, false]);
      expect(outcomes[1]).to.include({ reason: fault });
      expect(notes()).to.deep.equal(['before', 'after']);
    });

    it('rejects the write that throws, and none of those that wait behind it', async () => {
      const { db, note, notes } = await openNotes();
      const fault = new Error('no');
      const outcomes = await Promise.allSettled([
        db.write(() => {
          throw fault;
        }),
        note('after'),
        note('last'),
      ]);
      expect(outcomes.map(isKept)).to.deep.equal([false, true, true]);
      expect(outcomes[0]).to.include({ reason: fault });
      expect(notes()).to.deep.equal(['after', 'last']);
    });

    it('repeats the other writes after one has thrown: each has its effect and its result once', async () => {
      const { db, insert, notes } = await openNotes();
      let runs = 0;
      const outcomes = await Promise.allSettled([
        db.write(() => {
          runs += 1;
          insert('first');
          return notes().length;
        }),
        db.write(() => insert('first')),
        db.write(() => {
          insert('last');
          return notes().length;
        }),
      ]);
      expect(runs, 'the first write was repeated').to.equal(2);
      expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'rejected'))).to.deep.equal([
        1,
        'rejected',
        2,
      ]);
      expect(notes()).to.deep.equal(['first', 'last']);
    });

    it('resolves once the write is committed', async () => {
      const { note } = await openNotes();
      await note('a');
      expect(readElsewhere('SELECT count(*) AS count FROM notes')).to.deep.equal([{ count: 1 }]);
    });

    it('does not run in the turn of the call: reads in that turn see committed data only', async () => {
      const { note, notes } = await openNotes();
      const written = note('a');
      await Promise.resolve();
      expect(notes()).to.deep.equal([]);
      await written;
      expect(notes()).to.deep.equal(['a']);
    });

    it('commits the writes of one turn together: if the commit fails, all reject and none is stored', async () => {
      const { db, note, notes } = await openNotes();
      const orphan = db.prepare("INSERT INTO drop_trash (drop_id, version_id) VALUES ('none', 'v')");
      const defer = db.prepare('PRAGMA defer_foreign_keys = ON');
      const outcomes = await Promise.allSettled([
        note('a'),
        db.write(() => {
          defer.get();
          orphan.run(); // found at the commit
        }),
        note('b'),
      ]);
      expect(outcomes.map(isKept)).to.deep.equal([false, false, false]);
      expect(notes()).to.deep.equal([]);
      await note('c');
      expect(notes()).to.deep.equal(['c']);
    });

    it('rejects all writes with the cause if an error undoes the whole transaction', async () => {
      const { db, note, notes } = await openNotes();
      const grave = db.prepare("INSERT OR ROLLBACK INTO notes (text) VALUES ('a')");
      const outcomes = await Promise.allSettled([note('a'), db.write(() => grave.run()), note('b')]);
      for (const outcome of outcomes) {
        expect(outcome.status === 'rejected' && String(outcome.reason)).to.match(/UNIQUE constraint failed/);
      }
      expect(notes()).to.deep.equal([]);
    });

    it('runs a write that another write requests', async () => {
      const { db, note, notes } = await openNotes();
      await db.write(() => note('inner')).then((inner) => inner);
      expect(notes()).to.deep.equal(['inner']);
    });

    it('keeps the order and the results of 1,000 parallel writes', async () => {
      const { db, insert, notes } = await openNotes();
      const texts = Array.from({ length: 1_000 }, (_, i) => String(i % 900));
      const write = (text: string) =>
        db.write(() => {
          insert(text);
          return text;
        });
      const outcomes = await Promise.allSettled(texts.map(write));
      const kept = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'rejected'));
      expect(kept.slice(0, 900)).to.deep.equal(texts.slice(0, 900));
      expect(kept.slice(900)).to.deep.equal(Array(100).fill('rejected'));
      expect(notes()).to.deep.equal(texts.slice(0, 900));
    });

    it('is unavailable while another process holds the database, and works again afterwards', async () => {
      const { db, note, notes } = await openNotes();
      db.prepare('PRAGMA busy_timeout = 20').get();
      const other = new DatabaseSync(path);
      other.exec('BEGIN IMMEDIATE');
      const outcomes = await Promise.allSettled([note('a'), note('b')]);
      for (const outcome of outcomes) expectUnavailable(outcome.status === 'rejected' && outcome.reason);
      expect(notes(), 'reading continues').to.deep.equal([]);
      other.close();
      await note('c');
      expect(notes()).to.deep.equal(['c']);
    });

    it('is unavailable while the disk is full, which is reported, and works again by itself', async () => {
      const reports: object[] = [];
      const { db, note, notes } = await openNotes({
        diskFailed: ({ err, ...failure }) => reports.push(failure),
        diskRecovered: () => reports.push({ isRecovered: true }),
      });
      const { page_count } = db.prepare('PRAGMA page_count').get() as { page_count: number };
      db.prepare(`PRAGMA max_page_count = ${page_count + 4}`).get();
      const outcomes = await Promise.allSettled([note('x'.repeat(1_000_000)), note('y'.repeat(1_000_000))]);
      for (const outcome of outcomes) expectDiskFull(outcome.status === 'rejected' && outcome.reason);
      expect(notes()).to.deep.equal([]);
      await db.write(() => notes()); // changes nothing
      expectDiskFull(await rejectionOf(Promise.resolve().then(() => db.check())));
      expect(reports.map((report) => Reflect.get(report, 'reason'))).to.deep.equal(['disk_full']);
      expect(reports[0]).to.have.property('freeBytes').that.is.a('number');

      await note('small');
      db.check();
      expect(reports.slice(1)).to.deep.equal([{ isRecovered: true }]);
      expect(notes()).to.deep.equal(['small']);
      expect(db.findDamage()).to.deep.equal([]);
    });

    function expectDiskFull(error: unknown): void {
      expectUnavailable(error);
      expect(error).to.have.property('details').that.includes({ reason: 'disk_full' });
      expect(String(error)).not.to.contain(dir);
    }
  });

  it('the number of each migration is its place: files opened by any release had the same ones before it', () => {
    const folder = new URL('../../shared/sqlite/migrations/', import.meta.url);
    const numbers = readdirSync(folder)
      .sort()
      .map((name) => Number.parseInt(name, 10));
    expect(numbers).to.deep.equal(numbers.map((_, n) => n + 1));
  });

  describe('open', () => {
    it('is set up for durable writes and small memory', () => {
      const db = open();
      const files = { journal_mode: 'wal', synchronous: 1, page_size: 16384, auto_vacuum: 2 };
      const settings = { ...files, foreign_keys: 1, secure_delete: 1, busy_timeout: 5000 };
      for (const [pragma, value] of Object.entries(settings))
        expect(db.prepareTuples(`PRAGMA ${pragma}`).get(), pragma).to.deep.equal([value]);
    });

    it('creates its files and directory for this user alone', async () => {
      path = join(dir, 'new', 'dropleaf.sqlite');
      const { note } = await openNotes();
      await note('a');
      const modeOf = (file: string) => statSync(file).mode & 0o777;
      expect(modeOf(join(dir, 'new'))).to.equal(0o700);
      for (const side of ['', '-wal', '-shm']) expect(modeOf(path + side), side).to.equal(0o600);
    });

    it('has all data when it is opened again, and migrates once', async () => {
      const first = await openNotes();
      await first.note('kept');
      const [version] = readElsewhere('PRAGMA user_version');
      await first.db.close();
      const second = await openNotes();
      expect(second.notes()).to.deep.equal(['kept']);
      expect(readElsewhere('PRAGMA user_version')).to.deep.equal([version]);
      expect(second.db.findDamage()).to.deep.equal([]);
    });

    it('refuses a database of a newer release, and leaves it as it is', async () => {
      await open().close();
      const newer = new DatabaseSync(path);
      newer.exec('PRAGMA user_version = 9999');
      newer.close();
      expect(() => openDatabase(path)).to.throw(/dropleaf\.sqlite cannot be opened: .*newer release/);
      expect(readElsewhere('PRAGMA user_version')).to.deep.equal([{ user_version: 9999 }]);
    });

    it('refuses a file that is not a database, with its name', () => {
      writeFileSync(path, 'This is a diary, and no database at all. '.repeat(100));
      expect(() => openDatabase(path)).to.throw(/dropleaf\.sqlite cannot be opened: /);
    });

    it('can be created by several processes at once', async () => {
      const programs = Array.from({ length: 3 }, () =>
        run(`const db = openDatabase(path); db.check(); await db.close(); console.log('done');`),
      );
      await Promise.all(programs.map(({ child }) => once(child, 'exit')));
      expect(programs.map(({ lines }) => lines())).to.deep.equal([['done'], ['done'], ['done']]);
    });

    it('stays open while one of its statements is in use', async () => {
      setFlagsFromString('--expose-gc');
      const collect: () => void = runInNewContext('gc');
      const read = openDatabase(path).prepare('SELECT 1 AS one'); // nothing else refers to the database
      for (let i = 0; i < 5; i++) {
        collect();
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(read.get()).to.deep.equal({ one: 1 });
    });
  });

  describe('close', () => {
    it('completes the requested writes, then rejects further ones', async () => {
      const { db, note } = await openNotes();
      const asked = [note('a'), note('b')];
      await db.close();
      await Promise.all(asked);
      expectUnavailable(await rejectionOf(note('late')));
      const again = await openNotes();
      expect(again.notes()).to.deep.equal(['a', 'b']);
    });

    it('leaves the WAL empty, and may be called twice', async () => {
      const { db, note } = await openNotes();
      await note('a');
      await Promise.all([db.close(), db.close()]);
      const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
      expect(log?.size ?? 0).to.equal(0);
      expect(() => db.check())
        .to.throw(DropError)
        .with.property('code', 'unavailable');
    });
  });

  it('reports a read that fails, but not within a write, which is reported as a whole', async () => {
    let failedReads = 0;
    const failedWrites: number[] = [];
    const db = open({
      onFailedRead() {
        failedReads += 1;
      },
      onTransaction(writes, _, isFailed) {
        if (isFailed) failedWrites.push(writes);
      },
    });
    const read = db.prepare("SELECT json_extract(?, '$')");
    for (const run of [() => read.get('{'), () => read.all('{')]) expect(run).to.throw('malformed JSON');
    expect(failedReads).to.equal(2);
    await rejectionOf(db.write(() => read.get('{')));
    expect({ failedReads, failedWrites }).to.deep.equal({ failedReads: 2, failedWrites: [1] });
  });

  it('a snapshot has what was committed when it was opened, and ends when it is closed', async () => {
    const { db, note, notes } = await openNotes();
    await note('a');
    const snapshot = db.openSnapshot();
    await note('b');
    expect(snapshot.prepareTuples('SELECT text FROM notes').all()).to.deep.equal([['a']]);
    expect(notes()).to.deep.equal(['a', 'b']);
    snapshot.close();
    await db.close();
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    expect(log?.size ?? 0, 'nothing keeps the WAL').to.equal(0);
  });

  it('has every acknowledged write, and is sound, after the process was killed while it wrote', async () => {
    await (await openNotes()).db.close();
    const writer = run(`
      import { writeSync } from 'node:fs';
      const db = openDatabase(path);
      const insert = db.prepare('INSERT INTO notes (text) VALUES (?)');
      for (let i = 0; ; i++) {
        const texts = [0, 1, 2].map((n) => i + '.' + n);
        await Promise.all(texts.map((text) => db.write(() => insert.run(text))));
        writeSync(1, texts.join('\\n') + '\\n');
      }`);
    while (writer.lines().length < 300) await once(writer.child.stdout ?? writer.child, 'data');
    await kill(writer.child);
    const { db, notes } = await openNotes();
    const kept = new Set(notes());
    expect(writer.lines().filter((text) => !kept.has(text))).to.deep.equal([]);
    expect(db.findDamage()).to.deep.equal([]);
  });

  describe('lock of the data directory', () => {
    it('is refused to a second process until the first releases it', async () => {
      const lock = lockDataDir(dir);
      const attempt = `try { lockDataDir(dir); console.log('locked') } catch (e) { console.log(e.message) }`;
      expect(await run(attempt).line()).to.equal(
        `Another Dropleaf is running on ${dir}: stop it, or set another DATA_DIR`,
      );
      expect(() => lockDataDir(dir), 'in this process too').to.throw('Another Dropleaf is running');
      expect(await run(attempt).line(), 'still held').to.match(/^Another Dropleaf/);
      lock.release();
      lock.release();
      expect(await run(attempt).line()).to.equal('locked');
    });

    it('ends with the process, even by kill -9', async () => {
      const holder = run(`
        const lock = lockDataDir(dir);
        console.log('locked');
        setInterval(() => lock, 1_000_000);`);
      expect(await holder.line()).to.equal('locked');
      expect(() => lockDataDir(dir)).to.throw('Another Dropleaf is running');
      await kill(holder.child);
      lockDataDir(dir).release();
    });

    it('does not stop a command from opening the database', async () => {
      const lock = lockDataDir(dir);
      const { notes } = await openNotes();
      const command = run(`
        const db = openDatabase(path);
        await db.write(() => db.prepare("INSERT INTO notes (text) VALUES ('by a command')").run());
        await db.close();`);
      await once(command.child, 'exit');
      expect(notes()).to.deep.equal(['by a command']);
      lock.release();
    });

    it('fails with the reason if the directory cannot be used', () => {
      writeFileSync(join(dir, 'file'), '');
      expect(() => lockDataDir(join(dir, 'file'))).to.throw(/file cannot be locked: /);
    });
  });

  // What no port shows, and what would grow for ever if it were wrong.
  describe('rows of a drop', () => {
    it('are all gone once it is erased', async () => {
      const db = open();
      const { drops, pendingTasks, views } = createSqliteStores(db, createTestClock());
      const drop = aDrop({ metadata: tags('a=1') });
      await drops.create(drop, 500, []);
      await drops.addVersion(at(drop.slug), { ...drop.version, id: 'v2' }, {}, 500, []);
      await drops.removeVersion(at(drop.slug), 1, later, []);
      await views.add('writer', 1, [{ dropId: drop.id, day: '2026-01-31', count: 3 }]);
      await drops.remove(at(drop.slug), later);
      await pendingTasks.erase(drop.id);
      const tables = ['drops', 'drop_versions', 'drop_trash', 'drop_metadata', 'day_views'];
      for (const table of tables) expect(db.prepare(`SELECT * FROM ${table}`).all(), table).to.deep.equal([]);
    });
  });
});
