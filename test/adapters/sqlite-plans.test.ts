import { join } from 'node:path';
import { expect } from 'chai';
import { type Database, openDatabase } from '../../shared/sqlite/database.ts';
import { createSqliteStores } from '../../shared/sqlite/stores.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';

describe('Statements to SQLite and the indexes that they use', () => {
  let db: Database;
  /** Every statement of the stores. */
  const statements: string[] = [];

  before(() => {
    db = openDatabase(join(makeTempDir(), 'dropleaf.sqlite'));
    const prepare: Database['prepare'] = (sql) => {
      statements.push(sql.replace(/\s+/g, ' ').trim());
      return db.prepareTuples(sql);
    };
    createSqliteStores({ ...methodsOf(db), prepare, prepareTuples: prepare }, createTestClock());
  });

  after(() => db.close());

  function planOf(sql: string): string[] {
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]; // proof: its columns
    return rows.map(({ detail }) => detail);
  }

  it('no statement reads a whole table, except lists for operators', () => {
    const isForOperators = /^SELECT audit_log\.id, .* ORDER BY id DESC LIMIT|^WITH by_reason AS/;
    const others = statements.filter((sql) => !isForOperators.test(sql));
    const scans = others.flatMap((sql) =>
      planOf(sql)
        .filter((step) => /^SCAN (?!json_each|pair|CONSTANT|\()/.test(step))
        .map((step) => `${step}: ${sql.slice(0, 300)}`),
    );
    expect(scans).to.deep.equal([]);
  });

  const listed = () =>
    statements.filter(
      (sql) => /^SELECT json_group_array.* INDEXED BY/.test(sql) && !sql.includes('drop_metadata'),
    );

  const isInOrder = /ORDER BY (created_at desc|updated_at desc|view_count desc|folded_title asc)/;

  it('a list in descending order, or by title in ascending order, is the order of an index', () => {
    const descending = listed().filter((sql) => isInOrder.test(sql));
    expect(descending).to.have.length(8); // four fields, pages and texts
    for (const sql of descending) expect(planOf(sql).join(), sql).not.to.include('TEMP B-TREE');
  });

  it('in the other order only drops with an equal field are sorted', () => {
    const ascending = listed().filter((sql) => !isInOrder.test(sql));
    expect(ascending).to.have.length(8);
    for (const sql of ascending) expect(planOf(sql).join(), sql).to.match(/B-TREE FOR LAST (2 )?TERM/);
  });

  it('indexes of fields that change serve only the lists that are sorted by them', () => {
    const others = statements.filter((sql) => !/ORDER BY (view_count|updated_at|folded_title)/.test(sql));
    const using = others.filter((sql) => /INDEX drops_by_(views|change|title)/.test(planOf(sql).join()));
    expect(using).to.deep.equal([]);
  });

  it('tags are counted in parts by the key of their table, and grouped in its order', () => {
    const [sql = ''] = statements.filter((statement) => statement.startsWith('SELECT key, value, count'));
    const plan = planOf(sql);
    expect(plan).to.include(
      'SEARCH drop_metadata USING PRIMARY KEY (owner_id=? AND (key,value)>(?,?) AND (key,value)<(?,?))',
    );
    expect(plan).to.include('SEARCH drops USING INDEX drops_by_owner (owner_id=?)');
    expect(plan.filter((step) => step.includes('TEMP B-TREE'))).to.deep.equal([
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
  });

  for (const [name, pattern, index] of [
    ['drops are counted', /^SELECT count\(\*\) FROM drops/, 'drops_by_owner'],
    ['free places are found', /^SELECT place FROM drops/, 'drops_one_per_place'],
    ['pending tasks are listed', /^SELECT changed_at AS changedAt/, 'drops_with_chores'],
    [
      'expired drops are found',
      /^SELECT 1 FROM drops WHERE deleted_at IS NULL AND expires_at/,
      'drops_expiring',
    ],
  ] as const) {
    it(`${name} by ${index}`, () => {
      const found = statements.filter((sql) => pattern.test(sql));
      expect(found).not.to.have.length(0);
      for (const sql of found) expect(planOf(sql).join(), sql).to.include(`INDEX ${index}`);
    });
  }
});
