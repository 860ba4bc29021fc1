import { join } from 'node:path';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/adapters/sqlite/database.ts';
import { createSqliteReportStore } from '../../shared/adapters/sqlite/report-store.ts';
import { start } from '../contract/records.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const query = { withClosed: false, slug: null, before: null, limit: 10 };
const before = { id: 'r5', createdAt: start };

describe('Reports in SQLite are found by an index, in its order', () => {
  let db: Database;
  let plans: string[][];

  beforeEach(() => {
    db = openDatabase(join(makeTempDir(), 'reports.sqlite'));
    plans = [];
  });
  afterEach(() => db.close());

  /** Notes how each statement is planned as it is asked. */
  function openStore() {
    const explaining: Database = {
      ...db,
      prepare(sql) {
        const statement = db.prepare(sql);
        const explain = db.prepare(`EXPLAIN QUERY PLAN ${sql}`);
        return {
          ...statement,
          all(...values) {
            const rows = explain.all(...values) as { detail: string }[]; // proof: SQLite's documentation
            plans.push(rows.map(({ detail }) => detail));
            return statement.all(...values);
          },
        };
      },
    };
    return createSqliteReportStore(explaining);
  }

  type Store = ReturnType<typeof openStore>;
  const calls: [what: string, call: (reports: Store) => Promise<unknown>, plan: string][] = [
    [
      'open ones',
      (reports) => reports.list({ ...query, before }),
      'SEARCH reports USING INDEX reports_open (created_at<?)',
    ],
    [
      'all',
      (reports) => reports.list({ ...query, withClosed: true, before }),
      'SEARCH reports USING INDEX reports_created (created_at<?)',
    ],
    [
      'open ones of a page',
      (reports) => reports.list({ ...query, slug: 'abc', before }),
      'SEARCH reports USING INDEX reports_open_page (slug=? AND created_at<?)',
    ],
    [
      'all of a page',
      (reports) => reports.list({ ...query, slug: 'abc', withClosed: true, before }),
      'SEARCH reports USING INDEX reports_page (slug=? AND created_at<?)',
    ],
  ];
  for (const [what, call, plan] of calls) {
    it(what, async () => {
      await call(openStore());
      expect(plans).to.deep.equal([[plan]]);
    });
  }
});
