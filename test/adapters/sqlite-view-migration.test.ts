import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const migrations = new URL('../../shared/sqlite/migrations/', import.meta.url);

describe('Views that the first release had recorded in SQLite', () => {
  it('are added to drops and days by the migration, those of a half-added batch once', async () => {
    const dir = makeTempDir();
    const path = join(dir, 'dropleaf.sqlite');
    const old = new DatabaseSync(path);
    const sql = readdirSync(migrations).sort().slice(0, 7);
    for (const name of sql) old.exec(readFileSync(new URL(name, migrations), 'utf8'));
    old.exec(`
      PRAGMA user_version = 7;
      INSERT INTO accounts (id, provider, subject, name, created_at) VALUES ('owner', 'local', 'me', 'me', 1);
      WITH ids (id, place, views, batch) AS (VALUES ('added', 1, 10, 5), ('waiting', 2, 20, 4))
      INSERT INTO drops (id, owner_id, slug, title, metadata, latest_version, version_count, head_id, head_size_bytes,
        head_has_context, head_media_type, head_created_at, view_count, views_batch, place, created_at, updated_at,
        changed_at, owed_render, owed_purge)
      SELECT id, 'owner', id, 't', '{}', 1, 1, id, 1, 0, 'text/html', 1, views, batch, place, 1, 1, 1, 0, 0 FROM ids;
      INSERT INTO day_views VALUES ('added', 'd1', 10, 4), ('waiting', 'd1', 20, 5);
      UPDATE view_batch SET number = 5, is_open = 1;
      INSERT INTO view_counts VALUES
        (5, 'added', 'd1', 1), (5, 'added', 'd2', 2), (5, 'waiting', 'd1', 4), (5, 'gone', 'd1', 8),
        (0, 'added', 'd1', 100), (0, 'waiting', 'd1', 200), (0, 'waiting', 'd2', 300), (0, 'gone', 'd1', 400);
    `);
    old.close();
    const db = openDatabase(path);
    expect(db.prepareTuples('SELECT id, view_count FROM drops ORDER BY id').all()).to.deep.equal([
      ['added', 10 + 100],
      ['waiting', 20 + 4 + 200 + 300],
    ]);
    const days = db.prepareTuples('SELECT drop_id, day, count FROM day_views ORDER BY drop_id, day').all();
    expect(days).to.deep.equal([
      ['added', 'd1', 10 + 1 + 100],
      ['added', 'd2', 2],
      ['waiting', 'd1', 20 + 200],
      ['waiting', 'd2', 300],
    ]);
    await db.close();
    rmSync(dir, { recursive: true });
  });
});
