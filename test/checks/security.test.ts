import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { options } from '../../shared/config/config.ts';
import { collectionsOf } from '../../shared/mongo/migrate.ts';
import { openDatabase } from '../../shared/sqlite/database.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const text = readFileSync('SECURITY.md', 'utf8');
const sectionOf = (title: string) => text.split(`## ${title}`)[1]?.split('\n## ')[0] ?? '';
const codesIn = (part: string) => [...part.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

async function listTables(): Promise<string[]> {
  const dir = makeTempDir();
  const db = openDatabase(join(dir, 'dropleaf.sqlite'));
  const rows = db.prepareTuples<[name: string]>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  await db.close();
  rmSync(dir, { recursive: true });
  return rows.map(([name]) => name).filter((name) => !name.startsWith('sqlite_'));
}

async function listCollections(): Promise<string[]> {
  const connection = mongoose.createConnection();
  const names = collectionsOf(connection).map(({ name }) => name);
  await connection.close();
  return [...names, 'store_form']; // without a model (mongo/data-form.ts)
}

describe('SECURITY.md', () => {
  it('names only tests that exist', () => {
    const threats = sectionOf('Threats');
    const lastColumns = [...threats.matchAll(/\| ([^|]+) \|$/gm)].map(([, column = '']) => column);
    const named = codesIn(lastColumns.join());
    const files = readdirSync('test', { recursive: true, encoding: 'utf8' });
    expect(named).to.have.length.above(40);
    expect(named.filter((name) => !files.some((file) => file.startsWith(`${name}.`)))).to.deep.equal([]);
  });

  it('says of each table of SQLite and each collection of MongoDB, once, what bounds it', async () => {
    const rows = sectionOf('What bounds each table').match(/^\| `.*$/gm) ?? [];
    const named = rows.flatMap((row) => codesIn(row.split('|')[1] ?? ''));
    expect(new Set(named).size, 'each once').to.equal(named.length);
    const stored = new Set([...(await listTables()), ...(await listCollections())]);
    expect(stored.size).to.be.above(20);
    expect(named).to.have.members([...stored]);
    for (const row of rows) expect(row.split('|')[2]?.trim(), row).to.not.equal('');
  });

  it('names only settings that exist where it says what bounds a table', () => {
    const named = codesIn(sectionOf('What bounds each table')).filter((code) =>
      /^[A-Z]+_[A-Z_]+$/.test(code),
    );
    expect(named).to.have.length.above(15);
    expect(named.filter((name) => !(name in options))).to.deep.equal([]);
  });
});
