import { join } from 'node:path';
import { expect } from 'chai';
import { SqliteAuditLog } from '../../shared/moderation/sqlite.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { useEach } from '../support/between.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('The audit log in SQLite', () => {
  const db = useEach(() => openDatabase(join(makeTempDir(), 'dropleaf.sqlite')));

  const statements: [what: string, sql: string, error: RegExp][] = [
    ['removal', 'DELETE FROM audit_log', /entries of the audit log stay/],
    ['another outcome', "UPDATE audit_log SET outcome = 'undone'", /gets its outcome once/],
    ['an outcome that is taken back', 'UPDATE audit_log SET outcome = NULL', /gets its outcome once/],
    ...['id', 'by_whom', 'act', 'target', 'reason'].map((column): [string, string, RegExp] => [
      `another ${column}`,
      `UPDATE audit_log SET ${column} = 'x' WHERE id = 'open'`,
      /gets its outcome once/,
    ]),
  ];
  for (const [what, sql, error] of statements) {
    it(`refuses ${what}, also as plain SQL`, async () => {
      const log = new SqliteAuditLog(db);
      const entry = { at: 1, by: 'root', act: 'suspend', target: 'a', reason: null } as const;
      for (const id of ['open', 'done']) await log.begin({ ...entry, id });
      await log.end('done', 'done', 2);
      const before = await log.list(null, 10);
      let refusal = '';
      await db
        .write(() => db.prepare(sql).run())
        .catch((fault: Error) => {
          refusal = fault.message;
        });
      expect(refusal).to.match(error);
      expect(await log.list(null, 10)).to.deep.equal(before);
    });
  }
});
