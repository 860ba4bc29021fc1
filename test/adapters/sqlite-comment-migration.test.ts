import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { type Comment, sizesOf } from '../../shared/comments/comment.ts';
import { SqliteComments } from '../../shared/comments/sqlite.ts';
import { columnOf } from '../../shared/domain/record.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { aComment } from '../contract/records.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const migrations = new URL('../../shared/sqlite/migrations/', import.meta.url);

describe('Comments that were stored before their texts had tables of their own', () => {
  it('are the same after the migration, with their sizes', async () => {
    const dir = makeTempDir();
    const path = join(dir, 'dropleaf.sqlite');
    const old = new DatabaseSync(path);
    const before = readdirSync(migrations)
      .sort()
      .filter((name) => name < '0026');
    const { author } = aComment();
    const reply = { id: 'a'.repeat(32), author, text: 'é "quoted"\n', createdAt: 5 };
    const marks = [
      { versionId: 'b'.repeat(32), reply: '\u{1f343}', author },
      { versionId: 'c'.repeat(32), reply: null, author },
    ];
    const comments: Comment[] = [
      { ...aComment({ replies: [reply, { ...reply, id: 'd'.repeat(32) }], resolving: marks }), seq: 1 },
      { ...aComment({ anchor: null, replies: [], state: 'resolved' }), seq: 2 },
    ];
    old.function('fold', { varargs: true }, () => '');
    for (const name of before) old.exec(readFileSync(new URL(name, migrations), 'utf8'));
    for (const comment of comments) {
      const entries = Object.entries(comment);
      const values = entries.map(([, value]) =>
        typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      );
      const columns = entries.map(([name]) => columnOf(name)).join();
      old
        .prepare(`INSERT INTO comments (${columns}) VALUES (${columns.replace(/[^,]+/g, '?')})`)
        .run(...values);
    }
    old.exec(`PRAGMA user_version = ${before.length}`);
    old.close();
    const db = openDatabase(path);
    const store = new SqliteComments(db);
    for (const comment of comments) {
      expect(await store.find(comment.id)).to.deep.equal(comment);
      expect(await store.findThread(comment.id)).to.include(sizesOf(comment));
    }
    const total = comments.reduce((sum, comment) => sum + sizesOf(comment).bytes, 0);
    expect(db.prepareTuples('SELECT * FROM comment_totals').all()).to.deep.equal([['owner', total]]);
    await db.close();
    rmSync(dir, { recursive: true });
  });
});
