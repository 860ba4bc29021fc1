import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { createSqliteStores } from '../../shared/sqlite/stores.ts';
import { makeDrop, newestFirst, tags } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('Drops that a release without a search in tags had stored in SQLite', () => {
  it('are found by their tags and sorted by title after the migration', async () => {
    const dir = makeTempDir();
    const path = join(dir, 'dropleaf.sqlite');
    const newer = openDatabase(path);
    const { drops } = createSqliteStores(newer, createTestClock());
    await makeDrop({ drops }, { title: 'Öl', metadata: tags('Ort=Köln') });
    await makeDrop({ drops }, { title: 'apple\nbrandy', description: 'Köln', metadata: tags() });
    await newer.close();

    const older = new DatabaseSync(path);
    older.exec(`
      DROP TABLE access_requests;
      DROP TABLE identities;
      DROP TABLE drop_people;
      ALTER TABLE drops DROP COLUMN access;
      ALTER TABLE drops DROP COLUMN people;
      ALTER TABLE accounts DROP COLUMN default_access;
      ALTER TABLE tokens DROP COLUMN scope;
      ALTER TABLE sign_ins DROP COLUMN scope;
      ALTER TABLE sessions DROP COLUMN provider;
      DROP TABLE comments;
      DROP TABLE comment_texts;
      DROP TABLE comment_replies;
      DROP TABLE comment_totals;
      ALTER TABLE accounts DROP COLUMN identity_hash;
      ALTER TABLE accounts DROP COLUMN counts_as;
      ALTER TABLE accounts DROP COLUMN comments_seen;
      DROP INDEX day_views_by_day;
      DROP TRIGGER audit_log_stays;
      DROP TABLE audit_sweeps;
      CREATE TRIGGER audit_log_stays BEFORE DELETE ON audit_log BEGIN SELECT RAISE(ABORT, 'x'); END;
      ALTER TABLE drop_versions DROP COLUMN sha256;
      ALTER TABLE drops DROP COLUMN comments;
      ALTER TABLE reports DROP COLUMN comment_id;
      DROP INDEX drops_by_title;
      ALTER TABLE drops DROP COLUMN folded_title;
      UPDATE drops SET folded = upper(title) || char(10) || upper(coalesce(description, ''));
      PRAGMA user_version = 22;
    `);
    older.close();

    const db = openDatabase(path);
    const migrated = createSqliteStores(db, createTestClock()).drops;
    const list = async (search: string) => {
      const query = { ...newestFirst, sortBy: 'title', sortOrder: 'asc', search } as const;
      return (await migrated.list('owner', query)).drops.map(({ title }) => title);
    };
    expect(await list('koln')).to.deep.equal(['apple\nbrandy', 'Öl']);
    expect(await list('ort=koln')).to.deep.equal(['Öl']);
    await db.close();
    rmSync(dir, { recursive: true });
  });
});
