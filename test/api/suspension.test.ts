import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { type Owner, type TestService, useOwner, useService, useServices } from '../support/service.ts';

const operator = { by: 'root', reason: null };

async function suspend(service: TestService, owner: Owner): Promise<void> {
  await service.services.moderation.suspend(await service.accountOf(owner), operator);
}

async function unsuspend(service: TestService, owner: Owner): Promise<void> {
  await service.services.moderation.unsuspend(await service.accountOf(owner), operator);
}

/** What each call does: every-call.test.ts. */
describe('A suspended account', () => {
  const startOwn = useServices();
  const service = useService();

  async function suspended() {
    const { owner, slug } = await service.newDrop();
    await owner.put(slug);
    await suspend(service, owner);
    return { owner, slug };
  }

  it('is refused with every token, also with new ones', async () => {
    const { owner, slug } = await suspended();
    const before = await service.newToken(owner);
    for (const token of [owner, before, await service.newToken(owner)]) {
      expectError(await token.put(slug), 403, 'forbidden');
      expect((await token.get('/api/me')).status).to.equal(200);
    }
    await unsuspend(service, owner);
    for (const token of [owner, before]) expect((await token.put(slug)).status).to.equal(200);
  });

  it('is refused before the body is read, and the request does not count for WRITES_PER_MINUTE', async () => {
    const own = await startOwn({ env: { WRITES_PER_MINUTE: '1' } });
    const owner = await own.newOwner();
    await suspend(own, owner);
    for (let n = 0; n < 3; n++) {
      expectError(await owner.request('POST', '/api/drops', { raw: '{' }), 403, 'forbidden');
    }
    await unsuspend(own, owner);
    expect((await owner.post()).status).to.equal(201);
  });

  it('its pages stay online, and other accounts can publish', async () => {
    const { slug } = await suspended();
    expect((await service.view(`/p/${slug}`)).status).to.equal(200);
    expect((await service.get(`/p/${slug}/raw`)).status).to.equal(200);
    expect((await (await service.newOwner()).post()).status).to.equal(201);
  });

  it('can sign in, and the new token cannot change anything', async () => {
    const { owner, slug } = await suspended();
    const started = await service.request('POST', '/api/auth/start', { body: {} });
    const { signIns } = service.services;
    const signIn = await signIns.findByCode(started.body.code);
    expect(await signIns.approve(signIn?.id ?? '', owner.userId)).to.equal(true);
    const { body } = await service.get(`/api/auth/poll?token=${started.body.poll_token}`);
    expect(body.status).to.equal('verified');
    const token = body.api_token;
    expect((await service.get('/api/me', { token })).body.user_id).to.equal(owner.userId);
    const refused = await service.request('PUT', `/api/drops/${slug}`, { token, body: { html: '<p>New' } });
    expectError(refused, 403, 'forbidden');
  });

  it('the answers of /api/me and /api/tokens stay the same', async () => {
    const owner = await service.newOwner();
    const readAll = async () => [(await owner.get('/api/me')).text, (await owner.get('/api/tokens')).text];
    await readAll();
    const before = await readAll();
    await suspend(service, owner);
    expect(await readAll()).to.deep.equal(before);
  });

  it('stays suspended after a restart', async () => {
    const own = await startOwn();
    const owner = await own.newOwner();
    await suspend(own, owner);
    await own.restart();
    expectError(await owner.post(), 403, 'forbidden');
  });
});

describe('All tokens of an account, revoked', () => {
  const service = useService();
  const owner = useOwner(service);

  it('are all 401 invalid_token; those of other accounts are accepted', async () => {
    const second = await service.newToken(owner);
    const other = await service.newOwner();
    const done = await service.services.moderation.revokeTokens(await service.accountOf(owner), operator);
    expect(done).to.deep.equal({ tokens: 2, sessions: 0, signIns: 0 });
    for (const token of [owner, second]) {
      expectError(await token.get('/api/drops'), 401, 'invalid_token');
      expectError(await token.post(), 401, 'invalid_token');
    }
    expect((await other.get('/api/me')).status).to.equal(200);
  });

  it('an approved sign-in that was not claimed becomes expired and yields no token', async () => {
    const { signIns, moderation } = service.services;
    const started = await service.request('POST', '/api/auth/start', { body: {} });
    const poll = () => service.get(`/api/auth/poll?token=${started.body.poll_token}`);
    const signIn = await signIns.findByCode(started.body.code);
    await signIns.approve(signIn?.id ?? '', owner.userId);
    expect(await moderation.revokeTokens(await service.accountOf(owner), operator)).to.include({
      signIns: 1,
    });
    for (let n = 0; n < 2; n++) expect((await poll()).body).to.deep.equal({ status: 'expired' });
    expect(await signIns.approve(signIn?.id ?? '', owner.userId), 'approved again').to.equal(false);
  });

  it('its owner can sign in again', async () => {
    await service.services.moderation.revokeTokens(await service.accountOf(owner), operator);
    const again = await service.newToken(owner);
    expect((await again.get('/api/me')).body.user_id).to.equal(owner.userId);
    expect((await again.post()).status).to.equal(201);
  });
});
