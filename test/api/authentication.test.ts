import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

/** What every call does without a valid token: every-call.test.ts. */
describe('Authentication', () => {
  const service = useService();

  async function withDrop() {
    const owner = await service.newOwner();
    const drop = await owner.create();
    return { owner, drop };
  }

  it('not a bearer header: 401 unauthorized', async () => {
    const { owner } = await withDrop();
    const basic = Buffer.from(`x:${owner.token}`).toString('base64');
    for (const authorization of [
      `Basic ${basic}`,
      owner.token,
      'Bearer',
      'Bearer ',
      `Token ${owner.token}`,
    ]) {
      expectError(await service.get('/api/drops', { headers: { authorization } }), 401, 'unauthorized');
      expectError(await service.get('/api/me', { headers: { authorization } }), 401, 'unauthorized');
    }
  });

  it('the scheme is case-insensitive', async () => {
    const { owner } = await withDrop();
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const authorization = `${scheme} ${owner.token}`;
      expect((await service.get('/api/me', { headers: { authorization } })).status).to.equal(200);
    }
  });

  it('the API reads no cookies, and no token from the query or the body', async () => {
    const { owner, drop } = await withDrop();
    const unlocked = await service.get(`/p/${drop.slug}`);
    for (const name of ['token', 'api_token', 'authorization', 'session', 'dropleaf_session']) {
      const cookie = `${name}=${owner.token}; ${unlocked.cookies.join('; ')}`;
      expectError(await service.get('/api/me', { headers: { cookie } }), 401, 'unauthorized');
    }
    expectError(
      await service.get(`/api/drops?access_token=${owner.token}&token=${owner.token}`),
      401,
      'unauthorized',
    );
    const body = { title: 't', html: 'h', access_token: owner.token, token: owner.token };
    expectError(await service.request('POST', '/api/drops', { body }), 401, 'unauthorized');
  });

  it('endpoints without authentication ignore a bad token', async () => {
    const { drop } = await withDrop();
    for (const path of ['/api/onboard', '/api/auth/poll?token=x', `/p/${drop.slug}`, `/p/${drop.slug}/raw`]) {
      expect((await service.get(path, { token: 'dl_bad' })).status, path).to.equal(200);
      expect((await service.get(path)).status, path).to.equal(200);
    }
    expect((await service.request('POST', '/api/auth/start', { token: 'dl_bad' })).status).to.equal(200);
  });

  it('is checked before everything else in a request', async () => {
    expectError(await service.get('/api/drops/a.b'), 401, 'unauthorized');
    expectError(await service.get('/api/drops?page=0'), 401, 'unauthorized');
    expectError(await service.get('/api/drops/nosuchslug00/v/0'), 401, 'unauthorized');
    expectError(await service.request('DELETE', '/api/tokens/x'), 401, 'unauthorized');
    expectError(await service.request('POST', '/api/drops', { raw: '{' }), 401, 'unauthorized');
  });

  it('an identity has one account: two tokens, one user_id, the same drops', async () => {
    const { owner, drop } = await withDrop();
    const second = await service.newOwner(owner.name);
    expect(second.userId).to.equal(owner.userId);
    expect(second.token).to.not.equal(owner.token);
    expect((await second.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(drop);
  });
});
