import { expect } from 'chai';
import type { mongo } from 'mongoose';
import { type DropQuery, sortFields, sortOrders } from '../../shared/drops/drop-query.ts';
import { dropDocument } from '../../shared/drops/mongo-schema.ts';
import { createMongoStores } from '../../shared/mongo/stores.ts';
import {
  aDrop,
  anAccessRequest,
  anIdempotencyRecord,
  aReport,
  aSession,
  aSignIn,
  aToken,
  at,
  aVersion,
  later,
  newestFirst,
  start,
  tags,
} from '../contract/records.ts';
import { useOnce } from '../support/between.ts';
import { createTestClock } from '../support/clock.ts';
import { makeTestMongo } from '../support/mongo.ts';

const day = '2026-01-31';
const openReports = { withClosed: false, slug: null, before: null, limit: 10 };
const allReports = { ...openReports, withClosed: true };
const earlierDeleted = { id: 'd5', deletedAt: start };
const earlier = { id: 'd5', createdAt: start };
const listed: DropQuery = { ...newestFirst, pageSize: 20 };
const slug = 'slug-1-7';
const ownerId = 'owner-1';
const quota = { accountId: `d7/${day}`, day, limit: 500 };

const put = ['insert html.chunks', 'insert html.files'];
const takeBack = ['delete html.files by _id_', 'delete html.chunks by files_id_1_n_1'];
const bySlug = 'find drops by drops_slug';
const changeBySlug = 'findAndModify drops by drops_slug';

/** The index that has the order of the list; undefined: none has. */
function sortedIndex(
  sortBy: DropQuery['sortBy'],
  order: DropQuery['sortOrder'],
  { length }: DropQuery['metadata'],
) {
  if (length > 0 || (order === 'asc') !== (sortBy === 'title')) return undefined;
  const names = { created_at: 'drops_created', updated_at: 'drops_changed', view_count: 'drops_views' };
  return { ...names, title: 'drops_title' }[sortBy];
}

describe('Commands to MongoDB and the indexes that they use', () => {
  const test = useOnce(makeTestMongo);
  const stores = useOnce(() => createMongoStores(test.mongo.connection, createTestClock(start)));
  const signIn = aSignIn({ codeHash: 'code-7', pollHash: 'poll-7' });
  const token = aToken();
  const session = aSession();
  const identity = { provider: 'local', subject: 's7', name: 'seven' };

  before(fill);

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
      access_requests: (n) => ({ drop_id: n, owner_id: n, account_id: n, created_at: start }),
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
      metadata: tags(`tenth=${i % 10}`, `third=${i % 3}`),
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

  /** A call, and the commands that it sends. Later calls find what earlier ones have left. */
  const calls: [call: () => Promise<unknown>, ...commands: string[]][] = [
    [() => stores.accounts.find('a7'), 'find accounts by _id_'],
    [() => stores.accounts.findOrCreate(identity, 'a8', later), 'find accounts by accounts_identity'],
    [() => stores.accounts.findByName('N7'), 'find accounts by accounts_name'],
    [() => stores.accounts.setSuspended('a7', later), 'findAndModify accounts by _id_'],
    [() => stores.accounts.noteCommentsSeen('a7', start), 'update accounts by _id_'],
    [
      () => stores.comments.countInbox('owner-1', start, 100),
      'aggregate comments by comments_of_owner',
      'find comments by comments_news',
    ],
    [
      () => stores.comments.countStates('owner-1', 100),
      'aggregate comments by comments_of_owner',
      'aggregate comments by comments_of_owner',
      'aggregate comments by comments_of_owner',
    ],
    [() => stores.sessions.insert(aSession()), 'insert sessions'],
    [() => stores.sessions.findByHash(session.hash), 'aggregate sessions by _id_'],
    [() => stores.sessions.list('n7', 9), 'find sessions by sessions_account'],
    [() => stores.sessions.touch(session.id, later, start), 'update sessions by _id_'],
    [() => stores.sessions.revoke('account', session.id), 'delete sessions by _id_'],
    [
      () => stores.sessions.revokeSome('n8', 9, session.id),
      'find sessions by sessions_account',
      'delete sessions by _id_',
    ],
    [() => stores.sessions.removeUsedBefore(start), 'find sessions by sessions_use'],
    [() => stores.accounts.listDeleted(10, null), 'find accounts by accounts_deleted'],
    [() => stores.accounts.listDeleted(10, earlierDeleted), 'find accounts by accounts_deleted'],
    [() => stores.accounts.findInheritance(['a', 'b'], start), 'find accounts by accounts_identity_hash'],
    [() => stores.accounts.count('local', 10), 'aggregate accounts by accounts_identity'],
    [() => stores.tokens.insert(aToken()), 'insert tokens'],
    [() => stores.tokens.findByHash(token.hash), 'aggregate tokens by _id_'],
    [() => stores.tokens.find(token.id), 'find tokens by _id_'],
    [() => stores.tokens.revokeSome('n8', 9), 'find tokens by tokens_account', 'delete tokens by _id_'],
    [() => stores.tokens.list('n7', 9), 'find tokens by tokens_account'],
    [() => stores.tokens.list('n7', 9, { id: 'd7', createdAt: start }), 'find tokens by tokens_account'],
    [() => stores.tokens.countActive('n7', start, 9), 'aggregate tokens by tokens_account'],
    [() => stores.tokens.touch(token.id, later, start), 'update tokens by _id_'],
    [() => stores.tokens.rename('account', token.id, 'x'), 'findAndModify tokens by _id_'],
    [() => stores.tokens.removeExpiredBefore(start), 'find tokens by tokens_end'],
    [() => stores.tokens.revoke('account', token.id), 'delete tokens by _id_'],
    [() => stores.signIns.insert(aSignIn()), 'insert sign_ins'],
    [() => stores.signIns.find(signIn.id), 'find sign_ins by _id_'],
    [() => stores.signIns.findByCode('code-7'), 'find sign_ins by sign_ins_code'],
    [() => stores.signIns.findByPoll('poll-7'), 'find sign_ins by sign_ins_poll'],
    [
      () => stores.signIns.approve(signIn.id, { accountId: 'a7', scope: 'all' }, later),
      'update sign_ins by _id_',
    ],
    [() => stores.signIns.claim(signIn.id, later), 'findAndModify sign_ins by _id_'],
    [() => stores.signIns.countVerified('n7', start), 'aggregate sign_ins by sign_ins_account'],
    [() => stores.signIns.expireByAccount('n7'), ...Array(2).fill('update sign_ins by sign_ins_account')],
    [() => stores.signIns.expire(later), 'update sign_ins by sign_ins_status'],
    [() => stores.signIns.removeExpiredBefore(start), 'find sign_ins by sign_ins_end'],
    [() => stores.auditLog.end('e7', 'done', later), 'update audit_log by _id_'],
    [() => stores.auditLog.list('e7', 10), 'find audit_log by _id_'],
    [() => stores.idempotency.find('a', 'k'), 'find idempotency_keys by _id_'],
    [() => stores.idempotency.insert(anIdempotencyRecord()), 'insert idempotency_keys'],
    [() => stores.idempotency.finish(anIdempotencyRecord()), 'update idempotency_keys by _id_'],
    [
      () => stores.idempotency.replace(anIdempotencyRecord(), anIdempotencyRecord()),
      'update idempotency_keys by _id_',
    ],
    [() => stores.idempotency.remove(anIdempotencyRecord()), 'delete idempotency_keys by _id_'],
    [
      () => stores.idempotency.removeCreatedBefore(start),
      'find idempotency_keys by idempotency_keys_created',
    ],
    [() => stores.cards.put('d7', { digest: 'x', png: new Uint8Array(1) }), 'update cards by _id_'],
    [() => stores.cards.find('d7'), 'find cards by _id_'],
    [() => stores.cards.listIds('d1', 'd9', 5), 'find cards by _id_'],
    [
      () => stores.html.listIds('n1', 'n2', 5),
      'find html.files by _id_',
      'find html.chunks by files_id_1_n_1',
    ],
    [() => stores.renders.listIds('d1', 'd2', 5), 'find artefacts by _id_', 'find artefact_chunks by _id_'],
    [() => stores.cards.delete(['d7']), 'delete cards by _id_'],
    [() => stores.pendingTasks.findExisting(['d7', 'none']), 'find drops by _id_'],
    [() => stores.uploads.find('d7'), 'find uploads by _id_'],
    [() => stores.uploads.removeExpiredBefore(start), 'find uploads by uploads_end'],
    [() => stores.viewTotals.listDays('d7'), 'find day_views by _id_'],
    [() => stores.viewTotals.listDaysOfDrops(['d7', 'd8', 'd9'], [day]), 'find day_views by _id_'],
    [() => stores.renders.findHead('unknown', 2), 'find artefacts by _id_'],
    [() => stores.renders.listRendered(['d7'], 1), 'find artefacts by _id_'],
    [() => stores.renders.deleteOlder('d7', 2), 'find artefacts by _id_'],
    [
      () => stores.reports.insert(aReport(), 20, 100_000),
      'find reports by _id_',
      'find reports by reports_place',
      'aggregate reports by reports_state',
      'insert reports',
    ],
    [
      () => stores.accessRequests.insert(anAccessRequest(), 9),
      'find access_requests by _id_',
      'aggregate access_requests by access_requests_drop',
      'insert access_requests',
      'aggregate access_requests by access_requests_drop',
    ],
    [() => stores.accessRequests.listOpen('n7', 9), 'find access_requests by access_requests_owner'],
    [() => stores.accessRequests.countOpen('n7', 9), 'aggregate access_requests by access_requests_owner'],
    [() => stores.accessRequests.listOfDrop('n7'), 'find access_requests by access_requests_drop'],
    [() => stores.accessRequests.decline(anAccessRequest(), later), 'update access_requests by _id_'],
    [() => stores.accessRequests.removeOfDrops(['n8']), 'delete access_requests by access_requests_drop'],
    [
      () => stores.accessRequests.removeSome('n9', 9),
      'find access_requests by access_requests_account',
      'delete access_requests by _id_',
    ],
    [() => stores.accessRequests.remove(anAccessRequest()), 'delete access_requests by _id_'],
    [() => stores.reports.find('r7'), 'find reports by _id_'],
    [() => stores.reports.list(openReports), 'find reports by reports_state'],
    [() => stores.reports.list({ ...openReports, before: earlier }), 'find reports by reports_state'],
    [() => stores.reports.list(allReports), 'find reports by reports_created'],
    [
      () => stores.reports.list({ ...openReports, slug: 'n7', before: earlier }),
      'find reports by reports_open_page',
    ],
    [() => stores.reports.list({ ...allReports, slug: 'n7' }), 'find reports by reports_page'],
    [() => stores.reports.closeByPage('abc', later), 'update reports by reports_open_page'], // the one that was inserted above
    [() => stores.reports.close('r7', later), 'update reports by _id_'],
    [() => stores.reports.removeClosedBefore(start), 'find reports by reports_state'],
    [
      () => stores.viewTotals.addBatch(start + 1, [{ dropId: 'd7', day, count: 1 }]),
      'update drops by _id_',
      'update day_views by _id_',
      'find drops by _id_',
      'delete day_views by _id_', // the drop is gone
    ],
    [
      () => stores.drops.create(aDrop({ ownerId, version: aVersion({ quota }) }), 1_000_000, []),
      'update accounts by _id_',
      ...put,
      'find drops by drops_place',
      'insert drops',
    ],
    [() => stores.drops.find(ownerId, slug), bySlug],
    [() => stores.drops.listVersions(ownerId, slug), bySlug],
    [() => stores.drops.findVersion(ownerId, slug, 1), bySlug],
    [async () => stores.drops.findPage(slug, null), bySlug],
    [async () => stores.drops.findPage(slug, 1), bySlug],
    [() => stores.drops.changeDetails(at(slug, ownerId), { title: 'New' }, later, ['purge']), changeBySlug],
    [
      () => stores.drops.changeDetails(at(slug, ownerId, [0, 999]), { title: 'New' }, later, ['purge']),
      changeBySlug,
      bySlug,
    ],
    [() => stores.drops.setLock(at(slug, ownerId), null, later, ['purge']), changeBySlug],
    [() => stores.drops.addVersion(at(slug, ownerId), aVersion(), {}, 200, []), ...put, changeBySlug],
    [
      () => stores.drops.addVersion(at(slug, ownerId), aVersion({ quota }), {}, 1, []),
      'update accounts by _id_',
      ...put,
      changeBySlug,
      bySlug,
      'update accounts by _id_',
      ...takeBack,
    ],
    [() => stores.drops.removeVersion(at(slug, ownerId), 1, later, []), changeBySlug],
    [() => stores.moderation.takeDown(slug, { at: later, reason: 'x' }, []), changeBySlug],
    [() => stores.moderation.restore(slug, later, []), changeBySlug],
    [() => stores.drops.remove(at(slug, ownerId), later), changeBySlug],
    [() => stores.drops.listSlugs(ownerId), 'find drops by drops_place'],
    [() => stores.drops.count(ownerId), 'aggregate drops by drops_place'],
    [() => stores.drops.countTags(ownerId, 9), 'aggregate drops by drops_place'],
    [
      () => stores.drops.list(ownerId, listed),
      'aggregate drops by drops_place',
      'find drops by drops_created',
    ],
    [
      () => stores.drops.list(ownerId, { ...listed, search: 'title' }),
      'find drops by drops_created',
      'find drops by _id_',
    ],
    [
      () => stores.drops.list(ownerId, { ...listed, search: 'title', metadata: [['tenth', '7']] }),
      'find drops by drops_pairs',
      'find drops by _id_',
    ],
    [() => stores.pendingTasks.find('drop-1-7'), 'find drops by _id_'],
    [() => stores.pendingTasks.findForRender('drop-1-7', 3), 'aggregate drops by _id_'],
    [() => stores.pendingTasks.listPending(later, null, 100), 'find drops by drops_chores'],
    [
      () => stores.pendingTasks.listPending(later, { changedAt: start + 31, id: 'drop-7-31' }, 100),
      'find drops by drops_chores',
    ],
    [
      () => stores.pendingTasks.removeExpired(later + 10, 100),
      'find drops by drops_expiring',
      'update drops by _id_',
    ],
    [() => stores.pendingTasks.removeExpired(later + 10, 100), 'find drops by drops_expiring'],
    [
      () => stores.drops.create(aDrop({ ownerId }), 1, []),
      ...put,
      'find drops by drops_place',
      'find drops by drops_place',
      'find drops by _id_',
      'find drops by drops_expiring',
      'find drops by drops_place',
      ...takeBack,
    ],
    [() => stores.pendingTasks.clearTask('drop-1-7', 'render', 1), 'update drops by _id_'],
    [() => stores.pendingTasks.clearTrash('drop-1-7', ['x']), 'update drops by _id_'],
    [
      () => stores.pendingTasks.findReferenced(['version-3-5', 'trash-5-2', 'none']),
      'find imports by _id_',
      'find drops by drops_trash and drops_versions',
    ],
    [() => stores.archive.findUnfinishedImport(), 'find imports by _id_'],
    [
      async () => (await stores.archive.openSnapshot()).readDropAgain('drop-9-9'),
      'find drops by _id_',
      'find day_views by _id_',
    ],
    [
      () => stores.archive.write('reports', [{ ...aReport(), closedAt: null }]),
      'find reports by _id_',
      'aggregate reports by reports_place',
      'insert reports',
    ],
    [
      () => stores.pendingTasks.erase('drop-1-3'),
      'find drops by _id_',
      'delete day_views by _id_',
      'delete drops by _id_',
    ],
  ];
  for (const [call, ...commands] of calls)
    it(`${String(call).replace(/^.*?stores\./s, '')}: ${commands.join(', ')}`, () =>
      expectCommands(call, commands));

  for (const sortBy of sortFields) {
    for (const sortOrder of sortOrders) {
      for (const metadata of [[], [['tenth', '7']]] as const) {
        if (metadata.length === 0 && sortBy === 'created_at' && sortOrder === 'desc') continue; // above
        const index = metadata.length === 0 ? 'drops_place' : 'drops_pairs';
        const sorted = sortedIndex(sortBy, sortOrder, metadata) ?? index;
        it(`drops.list by ${sortBy} ${sortOrder}, ${metadata.length} pairs: ${index}, ${sorted}`, () =>
          expectCommands(
            () => stores.drops.list(ownerId, { ...listed, pageSize: 10, sortBy, sortOrder, metadata }),
            [`aggregate drops by ${index}`, `find drops by ${sorted}`],
          ));
      }
    }
  }

  async function expectCommands(call: () => Promise<unknown>, expected: readonly string[]): Promise<void> {
    const commands = await commandsOf(call);
    expect(await Promise.all(commands.map(describeCommand))).to.have.members(expected);
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
