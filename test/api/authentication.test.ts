import { expect } from 'chai';
import { newToken } from '../../shared/domain/token.ts';
import { bearerEndpoints } from '../support/endpoints.ts';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

/** Spec section 7 binds GET /api/me to `unauthorized`. */
const isCheck = (method: string, path: string) => method === 'GET' && path === '/api/me';

describe('Authentication', () => {
  const service = useService();

  /** The id of a token that nobody has. */
  const noToken = '0123456789ab';

  async function withDrop() {
    const owner = await service.newOwner();
    const drop = await owner.create();
    return { owner, drop, endpoints: bearerEndpoints(drop.slug, noToken) };
  }

  it('no credentials: 401 unauthorized with WWW-Authenticate, on every endpoint that needs a token', async () => {
    const { owner, drop, endpoints } = await withDrop();
    for (const [method, path] of endpoints) {
      const answer = await service.request(method, path);
      expectError(answer, 401, 'unauthorized');
      expect(answer.headers['www-authenticate'], path).to.match(/^Bearer\b/);
    }
    expect((await owner.get(`/api/drops/${drop.slug}`)).body).to.deep.equal(drop);
  });

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

  it('a malformed or unknown bearer token: 401 invalid_token with WWW-Authenticate; on GET /api/me unauthorized', async () => {
    const { owner, endpoints } = await withDrop();
    const last = owner.token.at(-1) === 'A' ? 'B' : 'A';
    const badSum = owner.token.slice(0, -1) + last;
    for (const token of [
      'x',
      'dl_',
      owner.token.slice(0, -1),
      `${owner.token}A`,
      badSum,
      owner.token.toUpperCase(),
      newToken(),
    ]) {
      for (const [method, path] of endpoints) {
        const answer = await service.request(method, path, { token });
        expectError(answer, 401, isCheck(method, path) ? 'unauthorized' : 'invalid_token');
        const challenge = 'Bearer realm="dropleaf", error="invalid_token"';
        expect(answer.headers['www-authenticate'], path).to.equal(challenge);
      }
    }
  });

  it('a revoked token: 401 invalid_token at once; on GET /api/me unauthorized', async () => {
    const { owner, endpoints } = await withDrop();
    const { token } = (await owner.get('/api/me')).body;
    expect((await owner.request('DELETE', `/api/tokens/${token?.id}`)).status).to.equal(204);
    for (const [method, path] of endpoints) {
      expectError(
        await owner.request(method, path),
        401,
        isCheck(method, path) ? 'unauthorized' : 'invalid_token',
      );
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

  it('an API answer sets no cookie and is not cached', async () => {
    const { owner, drop } = await withDrop();
    for (const path of ['/api/me', '/api/tokens', '/api/drops', `/api/drops/${drop.slug}`]) {
      const answer = await owner.get(path);
      expect(answer.cookies, path).to.deep.equal([]);
      expect(answer.headers['cache-control'], path).to.match(/no-store|private/);
      expect(answer.headers['x-content-type-options'], path).to.equal('nosniff');
    }
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
