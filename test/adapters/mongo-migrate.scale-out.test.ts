import { expect } from 'chai';
import { type Mongo, openMongo } from '../../shared/mongo/connection.ts';
import { knownDataForm, readDataForm } from '../../shared/mongo/data-form.ts';
import { GridBucket } from '../../shared/mongo/grid-bucket.ts';
import { collectionsOf, findMissing, migrate } from '../../shared/mongo/migrate.ts';
import { createMongoStores } from '../../shared/mongo/stores.ts';
import { MongoRenders } from '../../shared/renders/mongo.ts';
import { anArtefact, makeDrop, newestFirst, tags } from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { newMongoUri } from '../support/mongo.ts';
import { rejectionOf } from '../support/rejection.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

describe('migrate (MongoDB)', () => {
  let mongo: Mongo;
  let log: ReturnType<typeof createRecordingLog>;

  beforeEach(async () => {
    log = createRecordingLog();
    mongo = await openMongo({ uri: newMongoUri(), maxConnections: 5, log, isMigration: true });
  });

  afterEach(async () => {
    await mongo.connection.dropDatabase();
    await mongo.close();
  });

  /** Every index there is, as `collection index`. */
  async function listIndexes(): Promise<string[]> {
    const { connection } = mongo;
    const lists = await Promise.all(
      (await connection.listCollections()).map(async ({ name }) =>
        (await connection.collection(name).listIndexes().toArray()).map((index) => `${name} ${index.name}`),
      ),
    );
    return lists.flat().sort();
  }

  const setForm = (form: number) =>
    mongo.connection
      .collection<{ _id: string }>('store_form')
      .updateOne({ _id: 'store' }, { $set: { form } }, { upsert: true });

  it('creates every collection and index, and logs their names', async () => {
    await migrate(mongo, log);
    expect(log.lines.pop()).to.deep.include({ message: 'MongoDB has the form of this release' });
    const made = log.lines.map(({ fields }) => [fields.collection, ...(fields.made as string[])].join(' '));
    expect(made).to.have.members([
      'accounts accounts accounts_identity accounts_name accounts_deleted accounts_identity_hash',
      'tokens tokens tokens_account tokens_end',
      'sessions sessions sessions_account sessions_use',
      'sign_ins sign_ins sign_ins_code sign_ins_poll sign_ins_status sign_ins_account sign_ins_end',
      'drops drops drops_slug drops_place drops_pairs drops_created drops_changed drops_views drops_title drops_chores drops_expiring drops_people drops_versions drops_trash',
      'day_views day_views',
      'contexts contexts',
      'artefacts artefacts',
      'artefact_chunks artefact_chunks',
      'cards cards',
      'comments comments comments_owner comments_of_owner comments_of_drop comments_of_member comments_of_guest comments_news comments_marked comments_version comments_seq comments_follows',
      'identities identities identities_account identities_check',
      'access_requests access_requests access_requests_owner access_requests_drop access_requests_account',
      'reports reports reports_place reports_created reports_state reports_page reports_open_page',
      'secrets secrets',
      'audit_log audit_log',
      'web_processes web_processes web_processes_expires',
      'idempotency_keys idempotency_keys idempotency_keys_created',
      'uploads uploads uploads_end',
      'imports imports',
      'html.files html.files filename_1_uploadDate_1',
      'html.chunks html.chunks files_id_1_n_1',
    ]);
    expect(await findMissing(mongo)).to.deep.equal([]);
  });

  it('folds the texts of drops that an earlier release has stored or changed', async () => {
    await migrate(mongo, log);
    const stores = createMongoStores(mongo.connection, createTestClock());
    const metadata = tags('Ort=Köln');
    for (const title of ['Straße', 'Ёлка', 'Café', 'Neu']) await makeDrop(stores, { title, metadata });
    const drops = mongo.connection.collection('drops');
    const folded = { folded_title: '', folded_description: '', folded_metadata: '' };
    await drops.updateOne({ title: 'Straße' }, { $unset: folded });
    await drops.updateOne({ title: 'Neu' }, { $set: { pairs: ['Ort=Zürich'] } });
    await drops.updateOne({ title: 'Ёлка' }, { $set: { title: 'Über', description: 'Öl' } });
    const count = async (search: string) =>
      (await stores.drops.list('owner', { ...newestFirst, search })).total;
    const found = async () => [await count('strasse koln'), await count('uber ol'), await count('zurich')];
    expect(await found()).to.deep.equal([1, 0, 0]);
    log.lines.length = 0;
    await migrate(mongo, log);
    expect(log.lines.map(({ fields }) => fields.drops)).to.include(3);
    expect(await found()).to.deep.equal([1, 1, 1]);
    expect(await count('cafe')).to.equal(1);
    log.lines.length = 0;
    await migrate(mongo, log);
    expect(log.lines.map(({ fields }) => fields.drops)).to.not.include(3);
  });

  it('creates unique and partial indexes as planned, and nothing the second time', async () => {
    await migrate(mongo, log);
    for (const { name, indexes } of collectionsOf(mongo.connection)) {
      const there = await mongo.connection.collection(name).listIndexes().toArray();
      for (const index of indexes)
        expect(there.find((other) => other.name === index.name)).to.deep.include(index);
    }
    const before = await listIndexes();
    log.lines.length = 0;
    await migrate(mongo, log);
    expect(log.lines.map(({ message }) => message)).to.deep.equal([
      'MongoDB has all collections and indexes',
    ]);
    expect(await listIndexes()).to.deep.equal(before);
  });

  it('may run several times at once', async () => {
    await Promise.all([migrate(mongo, log), migrate(mongo, log), migrate(mongo, log)]);
    expect(await findMissing(mongo)).to.deep.equal([]);
  });

  it('raises the form by one, which a later release may have raised by one more', async () => {
    expect(await readDataForm(mongo.connection), 'before forms were stored').to.equal(1);
    await Promise.all([migrate(mongo, log), migrate(mongo, log)]);
    expect(await readDataForm(mongo.connection)).to.equal(knownDataForm);
    await setForm(knownDataForm + 1);
    await migrate(mongo, log);
    expect(await readDataForm(mongo.connection)).to.equal(knownDataForm + 1);
  });

  it('creates nothing where a release has raised the form by two, and says so', async () => {
    await setForm(knownDataForm + 2);
    expect((await rejectionOf(migrate(mongo, log))).message).to.equal(
      `MongoDB has form ${knownDataForm + 2} of a newer release, and this release works beside forms up to ${knownDataForm + 1}: use the newer release`,
    );
    expect(await listIndexes()).to.deep.equal(['store_form _id_']);
  });

  it('creates what is missing, and leaves the rest', async () => {
    await migrate(mongo, log);
    const { connection } = mongo;
    await connection.collection('tokens').dropIndex('tokens_account');
    await connection.collection('html.chunks').dropIndex('files_id_1_n_1');
    await connection.dropCollection('secrets');
    await connection.collection('accounts').createIndex({ created_at: 1 }, { name: 'of_the_operator' });
    expect((await findMissing(mongo)).sort()).to.deep.equal(['files_id_1_n_1', 'secrets', 'tokens_account']);
    await migrate(mongo, log);
    expect(await findMissing(mongo)).to.deep.equal([]);
    expect(await listIndexes()).to.include('accounts of_the_operator');
  });

  it('keeps the documents that are there', async () => {
    await mongo.connection.collection<{ _id: string }>('accounts').insertOne({ _id: 'a1' });
    await migrate(mongo, log);
    expect(await mongo.connection.collection('accounts').countDocuments({})).to.equal(1);
  });

  it('fails with the name of an index that has other keys or options', async () => {
    const accounts = mongo.connection.collection('accounts');
    const keys = { provider: 1, subject: 1 } as const;
    for (const [other, options] of [
      [keys, {}],
      [keys, { unique: true, sparse: true }],
      [{ subject: 1, provider: 1 }, { unique: true }],
    ] as const) {
      await accounts.createIndex(other, { name: 'accounts_identity', ...options });
      expect((await rejectionOf(migrate(mongo, log))).message).to.equal(
        'The index accounts_identity of "accounts" has other keys or options: drop it, and run "bin/dropleaf.js migrate" again',
      );
      await accounts.dropIndex('accounts_identity');
    }
  });

  it('fails with the name of an index that cannot be created, and the reason of the server', async () => {
    const accounts = mongo.connection.collection<{ _id: string; provider: string; subject: string }>(
      'accounts',
    );
    await accounts.insertMany(['a1', 'a2'].map((_id) => ({ _id, provider: 'local', subject: 'same' })));
    expect((await rejectionOf(migrate(mongo, log))).message).to.match(
      /^MongoDB cannot create the indexes of "accounts" \(accounts_identity, accounts_name, accounts_deleted, accounts_identity_hash\): \S/,
    );
  });

  it('drops the pages that earlier releases rendered', async () => {
    const { connection } = mongo;
    await migrate(mongo, log);
    const before = await listIndexes();
    const retired = ['renders', 'loose_files', 'rendered.files', 'rendered.chunks'];
    for (const name of retired) await connection.collection(name).insertOne({ any: 'field' });
    log.lines.length = 0;
    await migrate(mongo, log);
    expect(log.lines.map(({ fields }) => fields.collection)).to.deep.equal(retired);
    expect(await listIndexes()).to.deep.equal(before);
    const names = (await connection.listCollections()).map(({ name }) => name);
    expect(names).to.not.include.members(retired);
  });

  it('leaves nothing to be created by a request', async () => {
    await migrate(mongo, log);
    const before = await listIndexes();
    const { connection } = mongo;
    await new GridBucket(connection, 'html').put('v1', Buffer.from('<p>'));
    await new MongoRenders(connection).put('v1', anArtefact('any', 1, null));
    expect(await listIndexes()).to.deep.equal(before);
  });
});
