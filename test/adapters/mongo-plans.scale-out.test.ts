import { expect } from 'chai';
import type { mongo } from 'mongoose';
import { dropDocument } from '../../shared/adapters/mongo/drop-schema.ts';
import { createMongoStores } from '../../shared/adapters/mongo/stores.ts';
import { type DropQuery, sortFields, sortOrders } from '../../shared/domain/drop.ts';
import {
  aDrop,
  anIdempotencyRecord,
  aReport,
  aSession,
  aSignIn,
  aToken,
  at,
  aVersion,
  later,
  start,
} from '../contract/records.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTestMongo, type TestMongo } from '../support/mongo.ts';

const day = '2026-01-31';
const openReports = { withClosed: false, slug: null, before: null, limit: 10 };
const listed: DropQuery = { page: 1, pageSize: 20, sortBy: 'created_at', sortOrder: 'desc', metadata: [] };
const slug = 'slug-1-7';
const ownerId = 'owner-1';
const quota = { accountId: `d7/${day}`, day, limit: 500 };

/** The index that has the order of the list; undefined: none has. */
function sortedIndex(
  sortBy: DropQuery['sortBy'],
  order: DropQuery['sortOrder'],
  { length }: DropQuery['metadata'],
) {
  if (length > 0 || order === 'asc') return undefined;
  return sortBy === 'updated_at' ? 'drops_changed' : 'drops_views';
}

describe('Commands to MongoDB and the indexes that they use', () => {
  let test: TestMongo;
  let stores: ReturnType<typeof createMongoStores>;
  const signIn = aSignIn({ codeHash: 'code-7', pollHash: 'poll-7' });
  const token = aToken();
  const session = aSession();
  const identity = { provider: 'local', subject: 's7', name: 'seven' };

  before(async () => {
    test = await makeTestMongo();
    stores = createMongoStores(test.mongo.connection, createTestClock(start));
    await fill();
  });

  after(() => test.giveBack());

  /** One record of each kind to find, among so many others that a scan would be more expensive. */
  async function fill(): Promise<void> {
    const { accounts, tokens, sessions, signIns } = stores;
    await accounts.findOrCreate(identity, 'a7', start);
    await tokens.insert(token);
    await sessions.insert(session);
    await signIns.insert(signIn);
    const others: Record<string, (n: string) => object> = {
      accounts: (n) => ({ provider: 'local', subject: n, name: n, created_at: start, day: '', day_count: 0 }),
      sessions: (n) => ({ hash: n, account_id: n, browser: '', created_at: start, last_used_at: later }),
      tokens: (n) => ({ hash: n, account_id: n, label: null, created_at: start, last_used_at: null }),
      sign_ins: (n) => ({ code_hash: n, poll_hash: n, account_id: n, status: 'claimed', expires_at: later }),
      day_views: () => ({ count: 1, views_batch: start }),
      artefacts: (n) => ({ chunks: n }),
      audit_log: () => ({ at: start, outcome: null }),
      'html.files': () => ({ length: 1 }),
      'html.chunks': (n) => ({ files_id: n, n: 0 }),
      artefact_chunks: () => ({}),
      uploads: () => ({ request: '', expires_at: later }),
      idempotency_keys: () => ({ lease: 'none', created_at: start }),
      reports: (n) => ({ drop_id: n, slug: n, closed_at: later, created_at: start }),
    };
    for (const [name, fields] of Object.entries(others)) {
      const documents = Array.from({ length: 300 }, (_, i) => ({ _id: `d${i}/${day}`, ...fields(`n${i}`) }));
      await test.mongo.connection.collection<{ _id: string }>(name).insertMany(documents);
    }
    const drops = Array.from({ length: 4_000 }, (_, i) => makeDrop(Math.floor(i / 200), i % 200));
    // In one command: statistics of a few documents would lead to other plans.
    await test.mongo.connection.collection('drops').insertMany(drops as never); // proof: the adapter's documents
  }

  /** Each tenth is deleted, each tenth has pending tasks, each tenth has trash, and each tenth expires. */
  function makeDrop(owner: number, i: number) {
    const name = `${owner}-${i}`;
    const drop = aDrop({
      id: `drop-${name}`,
      ownerId: `owner-${owner}`,
      slug: `slug-${name}`,
      metadata: new Map([
        ['tenth', `${i % 10}`],
        ['third', `${i % 3}`],
      ]),
      version: aVersion({ id: `version-${name}`, createdAt: start + i }),
    });
    const { place, ...document } = dropDocument(drop, i, i % 10 === 1 ? ['render'] : []);
    if (i % 10 === 2) return { ...document, place, trash: [`trash-${name}`], chores: true };
    if (i % 10 === 4) return { ...document, place, expires_at: later + i };
    if (i % 10 !== 3) return { ...document, place };
    return { ...document, pairs: [], deleted_at: later, chores: true };
  }

  /** Each command that the call sends. */
  async function commandsOf(call: () => Promise<unknown>): Promise<mongo.CommandStartedEvent[]> {
    const client = test.mongo.connection.getClient();
    const commands: mongo.CommandStartedEvent[] = [];
    const note = (command: mongo.CommandStartedEvent) => commands.push(command);
    client.on('commandStarted', note);
    try {
      await call();
    } finally {
      client.off('commandStarted', note);
    }
    return commands;
  }

  const calls: [string, () => Promise<unknown>, string[]][] = [
    ['accounts.find', () => stores.accounts.find('a7'), ['find accounts by _id_']],
    [
      'accounts.findOrCreate of a known one',
      () => stores.accounts.findOrCreate(identity, 'a8', later),
      ['find accounts by accounts_identity'],
    ],
    ['accounts.findByName', () => stores.accounts.findByName('N7'), ['find accounts by accounts_name']],
    [
      'accounts.setSuspended',
      () => stores.accounts.setSuspended('a7', later),
      ['findAndModify accounts by _id_'],
    ],
    ['sessions.insert', () => stores.sessions.insert(aSession()), ['insert sessions']],
    ['sessions.findByHash', () => stores.sessions.findByHash(session.hash), ['aggregate sessions by _id_']],
    ['sessions.list', () => stores.sessions.list('n7', 9), ['find sessions by sessions_account']],
    ['sessions.touch', () => stores.sessions.touch(session.id, later, start), ['update sessions by _id_']],
    ['sessions.revoke', () => stores.sessions.revoke('account', session.id), ['delete sessions by _id_']],
    [
      'sessions.revokeAll',
      () => stores.sessions.revokeAll('n8', session.id),
      ['delete sessions by sessions_account'],
    ],
    [
      'sessions.removeUsedBefore',
      () => stores.sessions.removeUsedBefore(start),
      ['delete sessions by sessions_use'],
    ],
    ['accounts.listDeleted', () => stores.accounts.listDeleted(10), ['find accounts by accounts_deleted']],
    ['tokens.insert', () => stores.tokens.insert(aToken()), ['insert tokens']],
    ['tokens.findByHash', () => stores.tokens.findByHash(token.hash), ['aggregate tokens by _id_']],
    ['tokens.find', () => stores.tokens.find(token.id), ['find tokens by _id_']],
    ['tokens.revokeAll', () => stores.tokens.revokeAll('n8'), ['delete tokens by tokens_account']],
    ['tokens.list', () => stores.tokens.list('n7'), ['find tokens by tokens_account']],
    ['tokens.touch', () => stores.tokens.touch(token.id, later, start), ['update tokens by _id_']],
    ['tokens.rename', () => stores.tokens.rename('account', token.id, 'x'), ['findAndModify tokens by _id_']],
    [
      'tokens.removeExpiredBefore',
      () => stores.tokens.removeExpiredBefore(start),
      ['delete tokens by tokens_end'],
    ],
    ['tokens.revoke', () => stores.tokens.revoke('account', token.id), ['delete tokens by _id_']],
    ['signIns.insert', () => stores.signIns.insert(aSignIn()), ['insert sign_ins']],
    ['signIns.find', () => stores.signIns.find(signIn.id), ['find sign_ins by _id_']],
    ['signIns.findByCode', () => stores.signIns.findByCode('code-7'), ['find sign_ins by sign_ins_code']],
    ['signIns.findByPoll', () => stores.signIns.findByPoll('poll-7'), ['find sign_ins by sign_ins_poll']],
    ['signIns.approve', () => stores.signIns.approve(signIn.id, 'a7', later), ['update sign_ins by _id_']],
    ['signIns.claim', () => stores.signIns.claim(signIn.id, later), ['findAndModify sign_ins by _id_']],
    [
      'signIns.endByAccount',
      () => stores.signIns.endByAccount('n7'),
      ['update sign_ins by sign_ins_account', 'update sign_ins by sign_ins_account'],
    ],
    ['signIns.expire', () => stores.signIns.expire(later), ['update sign_ins by sign_ins_status']],
    [
      'signIns.removeExpiredBefore',
      () => stores.signIns.removeExpiredBefore(start),
      ['delete sign_ins by sign_ins_end'],
    ],
    ['auditLog.end', () => stores.auditLog.end('e7', 'done', later), ['update audit_log by _id_']],
    ['auditLog.list', () => stores.auditLog.list('e7', 10), ['find audit_log by _id_']],
    ['idempotency.find', () => stores.idempotency.find('a', 'k'), ['find idempotency_keys by _id_']],
    [
      'idempotency.insert',
      () => stores.idempotency.insert(anIdempotencyRecord()),
      ['insert idempotency_keys'],
    ],
    [
      'idempotency.finish',
      () => stores.idempotency.finish(anIdempotencyRecord()),
      ['update idempotency_keys by _id_'],
    ],
    [
      'idempotency.replace',
      () => stores.idempotency.replace(anIdempotencyRecord(), anIdempotencyRecord()),
      ['update idempotency_keys by _id_'],
    ],
    [
      'idempotency.remove',
      () => stores.idempotency.remove(anIdempotencyRecord()),
      ['delete idempotency_keys by _id_'],
    ],
    [
      'idempotency.removeCreatedBefore',
      () => stores.idempotency.removeCreatedBefore(start),
      ['delete idempotency_keys by idempotency_keys_created'],
    ],
    [
      'cards.put',
      () => stores.cards.put('d7', { digest: 'x', png: new Uint8Array(1) }),
      ['update cards by _id_'],
    ],
    ['cards.find', () => stores.cards.find('d7'), ['find cards by _id_']],
    ['cards.listIds', () => stores.cards.listIds('d1', 'd9', 5), ['find cards by _id_']],
    [
      'html.listIds',
      () => stores.html.listIds('n1', 'n2', 5),
      ['find html.files by _id_', 'find html.chunks by files_id_1_n_1'],
    ],
    [
      'renders.listIds',
      () => stores.renders.listIds('d1', 'd2', 5),
      ['find artefacts by _id_', 'find artefact_chunks by _id_'],
    ],
    ['cards.delete', () => stores.cards.delete(['d7']), ['delete cards by _id_']],
    [
      'pendingTasks.findExisting',
      () => stores.pendingTasks.findExisting(['d7', 'none']),
      ['find drops by _id_'],
    ],
    ['uploads.find', () => stores.uploads.find('d7'), ['find uploads by _id_']],
    [
      'uploads.removeExpiredBefore',
      () => stores.uploads.removeExpiredBefore(start),
      ['delete uploads by uploads_end'],
    ],
    ['viewTotals.listDays', () => stores.viewTotals.listDays('d7'), ['find day_views by _id_']],
    [
      'viewTotals.listDaysOfDrops',
      () => stores.viewTotals.listDaysOfDrops(['d7', 'd8', 'd9'], [day]),
      ['find day_views by _id_'],
    ],
    ['renders.findHead', () => stores.renders.findHead('unknown', 2), ['find artefacts by _id_']],
    ['renders.listRendered', () => stores.renders.listRendered(['d7'], 1), ['find artefacts by _id_']],
    ['renders.deleteOlder', () => stores.renders.deleteOlder('d7', 2), ['find artefacts by _id_']],
    [
      'reports.insert',
      () => stores.reports.insert(aReport(), 20),
      ['find reports by _id_', 'find reports by reports_place', 'insert reports'],
    ],
    ['reports.find', () => stores.reports.find('r7'), ['find reports by _id_']],
    ['reports.list of open ones', () => stores.reports.list(openReports), ['find reports by reports_state']],
    [
      'reports.list of open ones behind one',
      () => stores.reports.list({ ...openReports, before: { id: 'd5', createdAt: start } }),
      ['find reports by reports_state'],
    ],
    [
      'reports.list of all',
      () => stores.reports.list({ ...openReports, withClosed: true }),
      ['find reports by reports_created'],
    ],
    [
      'reports.list of open ones of a page behind one',
      () => stores.reports.list({ ...openReports, slug: 'n7', before: { id: 'd5', createdAt: start } }),
      ['find reports by reports_open_page'],
    ],
    [
      'reports.list of all of a page',
      () => stores.reports.list({ ...openReports, withClosed: true, slug: 'n7' }),
      ['find reports by reports_page'],
    ],
    [
      'reports.closeByPage',
      () => stores.reports.closeByPage('abc', later), // the one that was inserted above
      ['update reports by reports_open_page'],
    ],
    ['reports.close', () => stores.reports.close('r7', later), ['update reports by _id_']],
    [
      'reports.removeClosedBefore',
      () => stores.reports.removeClosedBefore(start),
      ['delete reports by reports_state'],
    ],
    [
      'viewTotals.addBatch',
      () => stores.viewTotals.addBatch(start + 1, [{ dropId: 'd7', day, count: 1 }]),
      [
        'update drops by _id_',
        'update day_views by _id_',
        'find drops by _id_',
        'delete day_views by _id_', // the drop is gone
      ],
    ],
    [
      'drops.create',
      () => stores.drops.create(aDrop({ ownerId, version: aVersion({ quota }) }), 1_000_000, []),
      [
        'update accounts by _id_',
        'insert html.chunks',
        'insert html.files',
        'find drops by drops_place',
        'insert drops',
      ],
    ],
    ['drops.find', () => stores.drops.find(ownerId, slug), ['find drops by drops_slug']],
    ['drops.listVersions', () => stores.drops.listVersions(ownerId, slug), ['find drops by drops_slug']],
    ['drops.findVersion', () => stores.drops.findVersion(ownerId, slug, 1), ['find drops by drops_slug']],
    [
      'drops.findPage of the head',
      async () => stores.drops.findPage(slug, null),
      ['find drops by drops_slug'],
    ],
    ['drops.findPage of a version', async () => stores.drops.findPage(slug, 1), ['find drops by drops_slug']],
    [
      'drops.changeDetails',
      () => stores.drops.changeDetails(at(slug, ownerId), { title: 'New' }, later, ['purge']),
      ['findAndModify drops by drops_slug'],
    ],
    [
      'drops.changeDetails of another revision',
      () => stores.drops.changeDetails(at(slug, ownerId, [0, 999]), { title: 'New' }, later, ['purge']),
      ['findAndModify drops by drops_slug', 'find drops by drops_slug'],
    ],
    [
      'drops.setLock',
      () => stores.drops.setLock(at(slug, ownerId), null, later, ['purge']),
      ['findAndModify drops by drops_slug'],
    ],
    [
      'drops.addVersion',
      () => stores.drops.addVersion(at(slug, ownerId), aVersion(), {}, 200, []),
      ['insert html.chunks', 'insert html.files', 'findAndModify drops by drops_slug'],
    ],
    [
      'drops.addVersion refused',
      () => stores.drops.addVersion(at(slug, ownerId), aVersion({ quota }), {}, 1, []),
      [
        'update accounts by _id_',
        'insert html.chunks',
        'insert html.files',
        'findAndModify drops by drops_slug',
        'find drops by drops_slug',
        'update accounts by _id_',
        'delete html.files by _id_',
        'delete html.chunks by files_id_1_n_1',
      ],
    ],
    [
      'drops.removeVersion',
      () => stores.drops.removeVersion(at(slug, ownerId), 1, later, []),
      ['findAndModify drops by drops_slug'],
    ],
    [
      'moderation.takeDown',
      () => stores.moderation.takeDown(slug, { at: later, reason: 'x' }, []),
      ['findAndModify drops by drops_slug'],
    ],
    [
      'moderation.restore',
      () => stores.moderation.restore(slug, later, []),
      ['findAndModify drops by drops_slug'],
    ],
    [
      'drops.remove',
      () => stores.drops.remove(at(slug, ownerId), later),
      ['findAndModify drops by drops_slug'],
    ],
    ['drops.listSlugs', () => stores.drops.listSlugs(ownerId), ['find drops by drops_place']],
    ['drops.count', () => stores.drops.count(ownerId), ['aggregate drops by drops_place']],
    [
      'drops.list, newest first',
      () => stores.drops.list(ownerId, listed),
      ['aggregate drops by drops_place', 'find drops by drops_created'],
    ],
    [
      'drops.list with a search',
      () => stores.drops.list(ownerId, { ...listed, search: 'title' }),
      ['find drops by drops_created', 'find drops by _id_'],
    ],
    [
      'drops.list with a search and a filter',
      () => stores.drops.list(ownerId, { ...listed, search: 'title', metadata: [['tenth', '7']] }),
      ['find drops by drops_pairs', 'find drops by _id_'],
    ],
    ['pendingTasks.find', () => stores.pendingTasks.find('drop-1-7'), ['find drops by _id_']],
    [
      'pendingTasks.findForRender',
      () => stores.pendingTasks.findForRender('drop-1-7', 3),
      ['aggregate drops by _id_'],
    ],
    [
      'pendingTasks.listPending',
      () => stores.pendingTasks.listPending(later, null, 100),
      ['find drops by drops_chores'],
    ],
    [
      'pendingTasks.listPending, second page',
      () => stores.pendingTasks.listPending(later, { changedAt: start + 31, id: 'drop-7-31' }, 100),
      ['find drops by drops_chores'],
    ],
    [
      'pendingTasks.removeExpired',
      () => stores.pendingTasks.removeExpired(later + 10, 100),
      ['find drops by drops_expiring', 'update drops by _id_'],
    ],
    [
      'pendingTasks.removeExpired, none',
      () => stores.pendingTasks.removeExpired(later + 10, 100),
      ['find drops by drops_expiring'],
    ],
    [
      'drops.create without a free place',
      () => stores.drops.create(aDrop({ ownerId }), 1, []),
      [
        ...['insert html.chunks', 'insert html.files'],
        ...['find drops by drops_place', 'find drops by drops_place'],
        ...['find drops by _id_', 'find drops by drops_expiring', 'find drops by drops_place'],
        ...['delete html.files by _id_', 'delete html.chunks by files_id_1_n_1'],
      ],
    ],
    [
      'pendingTasks.clearTask',
      () => stores.pendingTasks.clearTask('drop-1-7', 'render', 1),
      ['update drops by _id_'],
    ],
    [
      'pendingTasks.clearTrash',
      () => stores.pendingTasks.clearTrash('drop-1-7', ['x']),
      ['update drops by _id_'],
    ],
    [
      'pendingTasks.findReferenced',
      () => stores.pendingTasks.findReferenced(['version-3-5', 'trash-5-2', 'none']),
      ['find imports by _id_', 'find drops by drops_trash and drops_versions'],
    ],
    ['archive.findUnfinishedImport', () => stores.archive.findUnfinishedImport(), ['find imports by _id_']],
    [
      'archive.openSnapshot',
      async () => (await stores.archive.openSnapshot()).readDropAgain('drop-9-9'),
      ['find drops by _id_', 'find day_views by _id_'],
    ],
    [
      'archive.write',
      () => stores.archive.write('reports', [{ ...aReport(), closedAt: null }]),
      ['find reports by _id_', 'aggregate reports by reports_place', 'insert reports'],
    ],
    [
      'pendingTasks.erase',
      () => stores.pendingTasks.erase('drop-1-3'),
      ['find drops by _id_', 'delete day_views by _id_', 'delete drops by _id_'],
    ],
  ];
  for (const sortBy of sortFields) {
    for (const sortOrder of sortOrders) {
      for (const metadata of [[], [['tenth', '7']]] as const) {
        if (metadata.length === 0 && sortBy === 'created_at' && sortOrder === 'desc') continue; // above
        const index = metadata.length === 0 ? 'drops_place' : 'drops_pairs';
        calls.push([
          `drops.list by ${sortBy} ${sortOrder}, ${metadata.length} pairs`,
          () => stores.drops.list(ownerId, { ...listed, pageSize: 10, sortBy, sortOrder, metadata }),
          [
            `aggregate drops by ${index}`,
            `find drops by ${sortedIndex(sortBy, sortOrder, metadata) ?? index}`,
          ],
        ]);
      }
    }
  }

  for (const [name, call, expected] of calls) {
    it(`${name}: ${expected.join(', ')}`, async () => {
      const commands = await commandsOf(call);
      expect(await Promise.all(commands.map(describeCommand))).to.have.members(expected);
    });
  }

  it('the test detects a collection scan', async () => {
    const [command] = await commandsOf(() =>
      test.mongo.connection.collection('drops').findOne({ title: 'x' }),
    );
    expect(command && (await describeCommand(command))).to.include(wholeCollection);
  });

  /** `find tokens by tokens_account`. An update is explained as a search for what it changes. */
  async function describeCommand({ commandName, command }: mongo.CommandStartedEvent): Promise<string> {
    const collection: string = command[commandName];
    const filter =
      command.filter ??
      command.query ??
      command.updates?.[0].q ??
      command.deletes?.[0].q ??
      command.pipeline?.[0].$match;
    if (filter === undefined) return `${commandName} ${collection}`;
    const { sort, hint } = command;
    const search = test.mongo.connection.collection(collection).find(filter, { sort, hint });
    return `${commandName} ${collection} by ${accessesOf(await search.explain('queryPlanner')).join(' and ')}`;
  }
});

/** What the plan reads, sorted: indexes of MongoDB's stages, or of PostgreSQL's nodes below DocumentDB. */
function accessesOf({ queryPlanner }: mongo.Document): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const access = accessOf(node as Record<string, unknown>); // proof: an object of JSON
    if (access !== null) found.add(access);
    for (const [name, below] of Object.entries(node)) if (!notRun.has(name)) visit(below);
  };
  visit(queryPlanner);
  return [...found].sort();
}

/** Parts of a plan about alternatives that were not chosen. */
const notRun = new Set(['rejectedPlans', 'IndexCosts']);
const wholeCollection = 'the whole collection';

function accessOf(node: Record<string, unknown>): string | null {
  const name = node.indexName ?? node['Index Name'];
  if (node.stage === 'IDHACK') return '_id_';
  if (node.stage === 'COLLSCAN' || node['Node Type'] === 'Seq Scan') return wholeCollection;
  if (typeof name !== 'string') return null;
  // DocumentDB's index of ids begins with the collection, and tells no bounds.
  const condition = node['Index Cond'];
  if (name === '_id_' && typeof condition === 'string' && !condition.includes('object_id'))
    return wholeCollection;
  return name;
}
