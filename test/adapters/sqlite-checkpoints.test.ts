import { randomBytes } from 'node:crypto';
import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { SqliteBlobs } from '../../shared/blobs/sqlite.ts';
import { Checkpoints } from '../../shared/sqlite/checkpoints.ts';
import { type Database, openDatabase } from '../../shared/sqlite/database.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

const document = randomBytes(2 * 1024 * 1024);

describe('Checkpoints of the SQLite database', () => {
  let path: string;
  let db: Database | undefined;

  beforeEach(() => {
    path = join(makeTempDir(), 'dropleaf.sqlite');
  });

  afterEach(() => db?.close());

  const bytesOf = (file: string) => statSync(file).size;

  it('copy a long WAL into the open database file, and the WAL restarts', async () => {
    const reported: unknown[] = [];
    const report = (what: unknown) => reported.push(what);
    const diskRecovered = () => report('recovered');
    const migrated = () => report('migrated');
    db = openDatabase(path, {
      reports: { checkpointFailed: report, diskFailed: report, diskRecovered, walIsLong: report, migrated },
    });
    const html = new SqliteBlobs(db, 'html_blobs');
    for (let n = 0; n < 6; n++) await html.put(`v${n}`, document);
    await until(() => bytesOf(path) > 6 * document.length, 'the file holds the documents');

    let more = 0;
    const isBegunAnew = async () => {
      const before = bytesOf(`${path}-wal`);
      await html.put(`more${more++}`, document);
      return bytesOf(`${path}-wal`) === before;
    };
    await until(isBegunAnew, 'the log begins anew');
    expect(await html.get('v0')).to.deep.equal(new Uint8Array(document));
    expect(db.findDamage()).to.deep.equal([]);
    expect(reported).to.deep.equal([]);
  });

  it('do not block or lose a write that runs at the same time', async () => {
    db = openDatabase(path);
    const html = new SqliteBlobs(db, 'html_blobs');
    const ids = Array.from({ length: 40 }, (_, n) => `v${n}`);
    for (const id of ids) await html.put(id, document);
    await db.close();

    db = openDatabase(path);
    expect(db.findDamage()).to.deep.equal([]);
    const again = new SqliteBlobs(db, 'html_blobs');
    for (const id of ids) expect((await again.get(id))?.length, id).to.equal(document.length);
  });

  it('are left to another program if it makes them, also when the database is closed', async () => {
    db = openDatabase(path, { hasExternalCheckpoints: true });
    const html = new SqliteBlobs(db, 'html_blobs');
    const other = new DatabaseSync(path); // as long as it is open, SQLite makes no checkpoint of its own
    const before = bytesOf(path);
    for (let n = 0; n < 6; n++) await html.put(`v${n}`, document);
    await db.close();
    expect(bytesOf(path)).to.equal(before);
    expect(bytesOf(`${path}-wal`)).to.be.above(6 * document.length);
    other.close();
  });

  it('of another program that makes none are reported, and a WAL of 1 GB gets one', async () => {
    const writer = new DatabaseSync(path); // no checkpoints of its own, which would be due for the long WAL, too
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE notes (text TEXT)');
    writer.prepare('INSERT INTO notes (text) VALUES (?)').run('x'.repeat(1_000_000));
    const lengths: number[] = [];
    const onError = (error: unknown) => expect.fail(String(error));
    const checkpoints = new Checkpoints(path, {
      isExternal: true,
      onError,
      onLongWal: (bytes) => lengths.push(bytes),
    });
    truncateSync(`${path}-wal`, 1_024 * 1024 * 1024); // sparse
    checkpoints.noteWrite();
    await until(() => bytesOf(path) > 1_000_000, 'the file holds the note');
    expect(lengths).to.deep.equal([1_024 * 1024 * 1024]);
    await checkpoints.close();
    writer.close();
  });

  it('call onError if a checkpoint fails, and try again', async () => {
    writeFileSync(path, randomBytes(20_000));
    const told: unknown[] = [];
    const checkpoints = new Checkpoints(path, { onError: (error) => told.push(error) });
    for (const times of [1, 2]) {
      writeFileSync(`${path}-wal`, randomBytes(9 * 1024 * 1024));
      checkpoints.noteWrite();
      await until(() => told.length === times, `failure ${times} is told`);
    }
    expect(String(told[0])).to.match(/not a database/);
    await checkpoints.close();
    rmSync(path);
  });
});
