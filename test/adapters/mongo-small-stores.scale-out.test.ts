import { expect } from 'chai';
import type { mongo } from 'mongoose';
import { createMongoAccountStore } from '../../shared/adapters/mongo/account-store.ts';
import { createMongoAuditLog } from '../../shared/adapters/mongo/audit-log.ts';
import { createMongoDropStore } from '../../shared/adapters/mongo/drop-store.ts';
import { createMongoRenderStore } from '../../shared/adapters/mongo/render-store.ts';
import { createMongoReportStore } from '../../shared/adapters/mongo/report-store.ts';
import { createMongoSecretStore } from '../../shared/adapters/mongo/secret-store.ts';
import { createMongoSignInStore } from '../../shared/adapters/mongo/sign-in-store.ts';
import { createMongoTokenStore } from '../../shared/adapters/mongo/token-store.ts';
import { createMongoViewTotals } from '../../shared/adapters/mongo/view-totals.ts';
import { aReport, aSignIn, aToken, later, start } from '../contract/records.ts';
import { openTestMongo, type TestMongo } from '../support/mongo.ts';

const day = '2026-01-31';
const openReports = { withClosed: false, slug: null, before: null, limit: 10 };

describe('small stores in MongoDB', () => {
  let test: TestMongo;
  let stores: ReturnType<typeof openStores>;
  const signIn = aSignIn({ codeHash: 'code-7', pollHash: 'poll-7' });
  const token = aToken();
  const identity = { provider: 'local', subject: 's7', name: 'seven' };

  before(async () => {
    test = await openTestMongo();
    stores = openStores(test);
    await fill();
  });

  after(() => test.giveBack());

  function openStores({ mongo: { connection } }: TestMongo) {
    return {
      accounts: createMongoAccountStore(connection),
      drops: createMongoDropStore(connection),
      tokens: createMongoTokenStore(connection),
      signIns: createMongoSignInStore(connection),
      reports: createMongoReportStore(connection),
      auditLog: createMongoAuditLog(connection),
      secrets: createMongoSecretStore(connection),
      renders: createMongoRenderStore(connection),
      viewTotals: createMongoViewTotals(connection),
    };
  }

  /** One of each to find, among so many that reading all of them would not be the better plan. */
  async function fill(): Promise<void> {
    const { accounts, tokens, signIns } = stores;
    await accounts.findOrCreate(identity, 'a7', start);
    await tokens.insert(token);
    await signIns.insert(signIn);
    const others: Record<string, (n: string) => object> = {
      accounts: (n) => ({ provider: 'local', subject: n, name: n, created_at: start, day: '', day_count: 0 }),
      tokens: (n) => ({ hash: n, account_id: n, label: null, created_at: start, last_used_at: null }),
      sign_ins: (n) => ({ code_hash: n, poll_hash: n, account_id: n, status: 'claimed', expires_at: later }),
      day_views: (n) => ({ day: n, count: 1, views_batch: start }),
      renders: (n) => ({ drop_id: n, renderer: 2, br: n, gzip: n }),
      audit_log: () => ({ at: start, outcome: null }),
      reports: (n) => ({ drop_id: n, slug: n, closed_at: later, created_at: start }),
      loose_files: () => ({ at: later }),
    };
    for (const [name, fields] of Object.entries(others)) {
      const documents = Array.from({ length: 300 }, (_, i) => ({ _id: `d${i}/${day}`, ...fields(`n${i}`) }));
      await test.mongo.connection.collection<{ _id: string }>(name).insertMany(documents);
    }
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

  const calls: readonly (readonly [string, () => Promise<unknown>, readonly string[]])[] = [
    ['accounts.find', () => stores.accounts.find('a7'), ['find accounts by _id_']],
    [
      'accounts.findOrCreate of a known one',
      () => stores.accounts.findOrCreate(identity, 'a8', later),
      ['find accounts by accounts_identity'],
    ],
    [
      'accounts.takeDailyWrite',
      () => stores.accounts.takeDailyWrite('a7', day, 500),
      ['update accounts by _id_'],
    ],
    [
      'accounts.returnDailyWrite',
      () => stores.accounts.returnDailyWrite('a7', day),
      ['update accounts by _id_'],
    ],
    ['accounts.findByName', () => stores.accounts.findByName('N7'), ['find accounts by accounts_name']],
    [
      'accounts.setSuspended',
      () => stores.accounts.setSuspended('a7', later),
      ['findAndModify accounts by _id_'],
    ],
    ['tokens.insert', () => stores.tokens.insert(aToken()), ['insert tokens']],
    ['tokens.findByHash', () => stores.tokens.findByHash(token.hash), ['aggregate tokens by _id_']],
    ['tokens.find', () => stores.tokens.find(token.id), ['find tokens by _id_']],
    ['tokens.revokeAll', () => stores.tokens.revokeAll('n8'), ['delete tokens by tokens_account']],
    ['tokens.list', () => stores.tokens.list('n7'), ['find tokens by tokens_account']],
    ['tokens.touch', () => stores.tokens.touch(token.id, later, start), ['update tokens by _id_']],
    ['tokens.revoke', () => stores.tokens.revoke('account', token.id), ['delete tokens by _id_']],
    ['signIns.insert', () => stores.signIns.insert(aSignIn()), ['insert sign_ins']],
    ['signIns.find', () => stores.signIns.find(signIn.id), ['find sign_ins by _id_']],
    ['signIns.findByCode', () => stores.signIns.findByCode('code-7'), ['find sign_ins by sign_ins_code']],
    ['signIns.findByPoll', () => stores.signIns.findByPoll('poll-7'), ['find sign_ins by sign_ins_poll']],
    ['signIns.approve', () => stores.signIns.approve(signIn.id, 'a7', later), ['update sign_ins by _id_']],
    ['signIns.claim', () => stores.signIns.claim(signIn.id, later), ['findAndModify sign_ins by _id_']],
    [
      'signIns.endOf',
      () => stores.signIns.endOf('n7'),
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
    ['viewTotals.listDays', () => stores.viewTotals.listDays('d7'), ['find day_views by _id_']],
    [
      'viewTotals.listViewed',
      () => stores.viewTotals.listViewed('n7', '', 10),
      ['find day_views by day_views_day'],
    ],
    [
      'viewTotals.listViewed behind a drop',
      () => stores.viewTotals.listViewed('n7', 'd5', 10),
      ['find day_views by day_views_day'],
    ],
    ['renders.findHead', () => stores.renders.findHead('unknown'), ['find renders by _id_']],
    ['renders.listRendered', () => stores.renders.listRendered(['d7'], 1), ['find renders by _id_']],
    [
      'renders.listOutdated',
      () => stores.renders.listOutdated(2, null, 10),
      ['find renders by renders_renderer'],
    ],
    [
      'renders.listOutdated behind a page',
      () => stores.renders.listOutdated(2, { renderer: 1, versionId: 'd5', dropId: 'n5' }, 10),
      ['find renders by renders_renderer'],
    ],
    [
      'renders.removeReplaced',
      () => stores.renders.removeReplaced(start, 10),
      ['find loose_files by loose_files_at'],
    ],
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
      'reports.closeOfPage',
      () => stores.reports.closeOfPage('abc', later), // the one that was inserted above
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
  ];
  for (const [name, call, expected] of calls) {
    it(`${name}: ${expected.join(', ')}`, async () => {
      const told = await Promise.all((await commandsOf(call)).map(tell));
      expect(told).to.deep.equal(expected);
    });
  }

  /** `find tokens by tokens_account`. An update is explained as a search for what it changes. */
  async function tell({ commandName, command }: mongo.CommandStartedEvent): Promise<string> {
    const collection: string = command[commandName];
    const filter =
      command.filter ??
      command.query ??
      command.updates?.[0].q ??
      command.deletes?.[0].q ??
      command.pipeline?.[0].$match;
    if (filter === undefined) return `${commandName} ${collection}`;
    const search = test.mongo.connection
      .collection(collection)
      .find(filter, { sort: command.sort, hint: command.hint });
    return `${commandName} ${collection} by ${[...indexesIn(await search.explain('queryPlanner'))].join(', ')}`;
  }

  it('tells of a search that has no index', async () => {
    const [search] = await commandsOf(() =>
      test.mongo.connection.collection('tokens').findOne({ label: 'x' }),
    );
    expect(search && (await tell(search))).to.include('a scan');
  });
});

/** Names of indexes anywhere in the plan that was chosen, of MongoDB or of PostgreSQL below DocumentDB. */
function indexesIn(plan: unknown, found = new Set<string>()): Set<string> {
  if (typeof plan !== 'object' || plan === null) return found;
  const node = plan as Record<string, unknown>; // proof: an object of JSON
  const index = node.stage === 'IDHACK' ? '_id_' : (node.indexName ?? node['Index Name']);
  const condition = node['Index Cond'];
  // DocumentDB's index of ids begins with the collection: without a condition on the id it is a scan.
  const isScan = index === '_id_' && typeof condition === 'string' && !condition.includes('object_id');
  if (node.stage === 'COLLSCAN' || node['Node Type'] === 'Seq Scan' || isScan) found.add('a scan');
  else if (typeof index === 'string') found.add(index);
  for (const [name, part] of Object.entries(node)) {
    if (name !== 'rejectedPlans' && name !== 'IndexCosts') indexesIn(part, found);
  }
  return found;
}
