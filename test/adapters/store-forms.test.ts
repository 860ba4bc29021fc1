import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { knownDataForm as mongoForm } from '../../shared/mongo/data-form.ts';
import { collectionsOf } from '../../shared/mongo/migrate.ts';
import { knownDataForm as sqliteForm } from '../../shared/sqlite/data-form.ts';

const migrations = new URL('../../shared/sqlite/migrations/', import.meta.url);

/** Of finished releases (CONTRIBUTING.md, Releases): the migrations of SQLite, and the collections of MongoDB by form. */
const released: { sqlite: Record<string, string>; mongodb: Record<number, string> } = {
  sqlite: {
    '0001-stores.sql': 'd3905e999eaf',
    '0002-jobs.sql': '0638b364eaf2',
    '0003-artefacts.sql': 'cc0e50018099',
    '0004-job-priority.sql': 'b5935f3b8426',
    '0005-moderation.sql': '7c3162bd3330',
    '0006-reports.sql': '5341c6b9e1f5',
    '0007-reports-by-page.sql': '216fbacf8ad7',
    '0008-views.sql': 'a3f339e9d5ad',
    '0009-immutable-artefacts.sql': 'fd74df347b51',
    '0010-version-count.sql': 'a00f88303a70',
    '0011-idempotency-keys.sql': 'c81f951f9568',
    '0012-expiry.sql': '576188455cec',
    '0013-uploads.sql': 'e95455b3ea23',
    '0014-publishers.sql': '81ab876f2ca0',
    '0015-token-expiry.sql': 'd59bf6b509fc',
    '0016-sessions.sql': 'cd647cb4974f',
    '0017-account-deletion.sql': '4f590bdc2654',
    '0018-cards.sql': '84a803da3d36',
    '0019-imports.sql': 'd9d7d31e324a',
    '0020-jobs-by-name.sql': 'cd62d5565f1a',
    '0021-sorted-lists.sql': '6938e42fbf85',
  },
  mongodb: { 1: 'c085cb4819e6' },
};

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest('hex').slice(0, 12);

// Data and processes of a finished release meet those of this one: what differs has another form.
describe('The form of the stored data', () => {
  it('SQLite: migrations of finished releases stay as they are, and each new one raises the form', () => {
    const names = readdirSync(migrations).sort();
    const found = names.map((name) => [name, digest(readFileSync(new URL(name, migrations)))]);
    expect(Object.fromEntries(found)).to.include(released.sqlite);
    expect(names.map((name) => Number(name.slice(0, 4)))).to.deep.equal(names.map((_, index) => index + 1));
    expect(sqliteForm()).to.equal(names.length);
  });

  it('MongoDB: a form of a finished release has its collections, fields and indexes', async () => {
    const connection = mongoose.createConnection();
    const plans = collectionsOf(connection);
    const fields = Object.values(connection.models).map(({ schema, collection }) => [
      collection.name,
      Object.keys(schema.paths).sort(),
    ]);
    await connection.close();
    const found = digest(JSON.stringify([plans, fields]));
    const latest = Math.max(...Object.keys(released.mongodb).map(Number));
    expect(mongoForm, 'one step a release').to.be.within(latest, latest + 1);
    const message = `raise knownDataForm in shared/mongo/data-form.ts: ${found} is not what form ${mongoForm} was`;
    expect(found, message).to.equal(released.mongodb[mongoForm] ?? found);
  });
});
