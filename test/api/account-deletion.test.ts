import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { callEverything } from '../support/calls.ts';
import { openDashboard } from '../support/dashboard.ts';
import { json, useEdgeDoubles } from '../support/edge-double.ts';
import { expectError, expectTooMany } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { rejectionOf } from '../support/rejection.ts';
import {
  type Owner,
  type TestService,
  useOwner,
  useService,
  useServiceOfEach,
  useServices,
} from '../support/service.ts';
import { until } from '../support/until.ts';

const minute = 60_000;
const hour = 60 * minute;
const operator = { by: 'root', reason: null };

const remove = (owner: Owner, confirm = owner.userId) =>
  owner.request('DELETE', `/api/me?confirm=${confirm}`);

async function expectGone(service: TestService, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs) {
    for (const path of [`/p/${slug}`, `/p/${slug}/raw`, `/p/${slug}?v=1`])
      expect((await service.get(path)).status, path).to.equal(404);
  }
}

describe('DELETE /api/me', () => {
  const service = useService();
  const owner = useOwner(service);

  it('204: every drop is 404 on all pages at once, and every token is invalid', async () => {
    const second = await service.newToken(owner);
    const open = await owner.create({ context: 'why' });
    const locked = await owner.create({ passcode: 'open-sesame' });
    const takenDown = await owner.create();
    await service.services.moderation.takeDown(takenDown.slug, { ...operator, reason: 'x' });
    await service.get(`/p/${open.slug}/raw`); // now it is in memory
    const entered = await service.enter(locked.slug, 'open-sesame');

    const answer = await remove(owner);
    expect(answer.status, answer.text).to.equal(204);
    expect(answer.bytes).to.have.length(0);
    await expectGone(service, [open.slug, locked.slug, takenDown.slug]);
    expect((await service.get(entered.frame)).status).to.equal(404);
    for (const { token } of [owner, second])
      expectError(await service.get('/api/drops', { token }), 401, 'invalid_token');
    for (const call of await callEverything(owner, open.slug)) expectError(call, 401, 'invalid_token');
    expectError(await remove(owner), 401, 'invalid_token');
  });

  it('sessions of its browsers end', async () => {
    const browser = await openDashboard(service);
    const { slug } = await browser.owner.create();
    const read = async () => (await browser.get(`/drops/${slug}/delete`)).status;
    expect(await read()).to.equal(200);
    await remove(browser.owner);
    expect(await read(), 'sent to the sign-in').to.equal(303);
    expect(await service.services.engine.sessions.list(browser.owner.userId, 9)).to.deep.equal([]);
  });

  it('the same identity gets a new account without drops; other accounts keep theirs', async () => {
    const owner = await service.newOwner('ada');
    const other = await service.newOwner();
    await owner.create();
    const { slug } = await other.create();
    await remove(owner);
    const again = await service.newOwner('ada');
    expect(again.userId).to.not.equal(owner.userId);
    expect((await again.get('/api/me')).body).to.include({ drop_count: 0, user_id: again.userId });
    expect((await other.get(`/api/drops/${slug}`)).status).to.equal(200);
    expect((await service.get(`/p/${slug}`)).status).to.equal(200);
  });

  it('the next account of the identity continues the counts of the day and of the minute, again and again', async () => {
    const usage = ({ userId }: Owner) => service.services.accounts.readUsage({ accountId: userId });
    let owner = await service.newOwner('hopper');
    for (let round = 1; round <= 3; round++) {
      for (let n = 0; n < 15; n++) expect((await owner.post()).status).to.equal(201);
      await remove(owner);
      owner = await service.newOwner('hopper');
      expect(await usage(owner)).to.include({ writes: 15 * round, drops: 0 });
    }
    for (let n = 0; n < 15; n++) expect((await owner.post()).status).to.equal(201);
    expectTooMany(await owner.post(), 'rate_limited');
    expect((await (await service.newOwner('lovelace')).post()).status, 'another identity').to.equal(201);
    service.clock.advance(minute);
    expect((await owner.post()).status, 'the next minute').to.equal(201);
    await remove(owner);
    service.clock.advance(12 * hour);
    owner = await service.newOwner('hopper');
    expect(await usage(owner), 'the next day').to.include({ writes: 0 });
    expect((await service.accountOf(owner)).countsAs).to.equal(owner.userId);
  });

  it('the next account of the identity continues the comments of the hour on pages of others', async () => {
    const { comments, pages } = service.services;
    const { slug } = await service.newDrop({ comments: 'members' });
    const page = await pages.find(slug, null);
    const visitor = { address: '198.51.100.1', network: '198.51.100.1' };
    const write = ({ userId: accountId, name }: Owner) => {
      const author = { role: 'member', accountId, guest: null, name, via: null, tokenId: null } as const;
      return comments.runLimited(page, author, visitor, async () => 'written');
    };
    const owner = await service.newOwner('noether');
    for (let n = 0; n < 60; n++) await write(owner);
    await remove(owner);
    const next = await service.newOwner('noether');
    expect(await rejectionOf(write(next))).to.include({ code: 'rate_limited' });
    expect(await write(await service.newOwner('curie')), 'another identity').to.equal('written');
  });

  it('without confirm, or with another user_id: 400 invalid_arg, and nothing is deleted', async () => {
    const owner = await service.newOwner();
    const other = await service.newOwner();
    const { slug } = await owner.create();
    const paths = ['', '?confirm=', '?confirm=true', `?confirm=${other.userId}`];
    paths.push(`?confirm=${owner.userId}&confirm=${owner.userId}`);
    for (const query of paths) {
      const details = expectError(await owner.request('DELETE', `/api/me${query}`), 400, 'invalid_arg');
      expect(details.field).to.equal('confirm');
    }
    expect((await owner.get(`/api/drops/${slug}`)).status).to.equal(200);
  });

  it('403 forbidden for a suspended account: it could begin again with the same identity', async () => {
    const { slug } = await owner.create();
    const { accounts, moderation } = service.services;
    await moderation.suspend(await service.accountOf(owner), operator);
    expectError(await remove(owner), 403, 'forbidden');
    // Suspended between the check and the deletion:
    const refused = await accounts.remove({ accountId: owner.userId }).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'forbidden' });
    expect((await service.get(`/p/${slug}`)).status).to.equal(200);
  });

  it('an approved sign-in of the account gets no token', async () => {
    const { body } = await service.request('POST', '/api/auth/start', { body: {} });
    const { signIns } = service.services;
    const signIn = await signIns.findByCode(body.code);
    expect(await signIns.approve(signIn?.id ?? '', owner.userId)).to.equal(true);
    await remove(owner);
    expect((await service.get(`/api/auth/poll?token=${body.poll_token}`)).body.status).to.equal('expired');
    const { body: late } = await service.request('POST', '/api/auth/start', { body: {} });
    const other = await signIns.findByCode(late.code);
    expect(await signIns.approve(other?.id ?? '', owner.userId), 'approved afterwards').to.equal(false);
  });

  it('leaves no data: blobs, drops, tokens, and when the UTC day is over no record of the account', async () => {
    const { engine, jobs } = service.services;
    const owner = await service.newOwner();
    const drop = await owner.create({ context: 'why' });
    await owner.put(drop.slug);
    const versions = await engine.drops.listVersions(owner.userId, drop.slug);
    const ids = versions?.map(({ id }) => id) ?? [];
    const page = await engine.drops.findPage(drop.slug, null);
    expect(ids).to.have.length(2);
    await remove(owner);
    const reconcileAfter = async (pauses: readonly number[]) => {
      for (const pause of pauses) {
        service.clock.advance(pause);
        await service.settle();
      }
      await jobs.enqueue('store.reconcile', {});
      await service.settle();
    };
    await reconcileAfter([0, 70_000, 70_000, 2 * hour]);
    expect(await engine.accounts.findDeletedAt(owner.userId), 'on the same UTC day').to.be.a('number');
    await reconcileAfter([24 * hour]);
    for (const id of ids) expect(await engine.html.get(id)).to.equal(null);
    expect(await engine.contexts.get(ids[1] ?? '')).to.equal(null);
    expect(await engine.pendingTasks.find(page?.dropId ?? '')).to.equal(null);
    expect(await engine.tokens.list(owner.userId, 9)).to.deep.equal([]);
    expect(await engine.accounts.findDeletedAt(owner.userId)).to.equal(null);
  });
});

describe('DELETE /api/me, when a part fails', () => {
  const gate = createGate();
  afterEach(() => gate.open());
  const service = useServiceOfEach({}, (engine) => ({
    ...engine,
    drops: gate.wrap(engine.drops, ['removeSome', 'create']),
  }));

  it('the account is deleted, and the job removes the drops', async () => {
    const { owner, slug } = await service.newDrop();
    gate.refuse(unavailable('The database is down.'));
    expectError(await remove(owner), 503, 'unavailable');
    gate.open();
    expectError(await owner.get('/api/drops'), 401, 'invalid_token');
    service.clock.advance(10_000);
    await service.settle();
    await expectGone(service, [slug]);
  });

  it('a drop that is created while the account is deleted is removed by the job', async () => {
    const owner = await service.newOwner();
    gate.hold();
    const creating = owner.post();
    await until(() => gate.waiting() > 0, 'the create reaches the store');
    const removing = remove(owner);
    await until(
      async () => (await service.services.engine.accounts.find(owner.userId)) === null,
      'the account is deleted',
    );
    gate.open();
    const [{ body }, removed] = await Promise.all([creating, removing]);
    expect(removed.status).to.equal(204);
    service.clock.advance(10_000);
    await service.settle();
    await expectGone(service, [body.slug]);
  });
});

describe('DELETE /api/me behind an edge', () => {
  const startOwn = useServices();
  const edges = useEdgeDoubles();

  it('purges every drop from the edge', async () => {
    const edge = await edges.listen(json(200, {}));
    const service = await startOwn({ env: { EDGE_PURGER: 'http', EDGE_PURGE_URL: edge.url } });
    const owner = await service.newOwner();
    for (let i = 0; i < 25; i++) await owner.create();
    expect((await remove(owner)).status).to.equal(204);
    const tags = () => new Set(edge.seen.map(({ body }) => body));
    await until(() => tags().size === 25, 'every drop is purged'); // the answer waits at most 1 s
  });
});
