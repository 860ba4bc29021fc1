import { expect } from 'chai';
import { newToken } from '../../shared/credentials/token.ts';
import { between } from '../support/between.ts';
import {
  type Call,
  createComment,
  deleteDrop,
  dropCalls,
  dropChanges,
  jsonCalls,
  pathOf,
  send,
  tokenCalls,
} from '../support/calls.ts';
import { lasting } from '../support/client.ts';
import { routesWith } from '../support/description.ts';
import { expectError } from '../support/expect.ts';
import { useOwner, useService } from '../support/service.ts';

const operator = { by: 'root', reason: 'phishing' };
const openPaths = ['/api/onboard', '/api/auth/start', '/api/auth/poll'];
/** A suspended account can revoke a leaked token. */
const allowedIfSuspended = ['DELETE /api/tokens/:id'];
const readAccount = 'GET /api/me';
/** None matches ^[A-Za-z0-9_-]{1,64}$. */
const notSlugs = ['a.b', '%61bc', 'a%20b', '%C3%A4', 'a~b', 'x'.repeat(65), '%00', '%ff', 'a%2Fb'];
const titleOf = ({ name, body }: Call) => `${name} ${JSON.stringify(body) ?? ''}`;

/** The calls are those of the table of routes: a new one is tested here before it has a test of its own. */
describe('Every call of the API', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000', CHANGES_PER_MINUTE: '1000' });
  const owner = useOwner(service);

  /** A drop with two versions, and another token of its owner. */
  async function scene() {
    const { owner, slug } = await service.newDrop({ context: 'why' });
    const { headers } = await owner.put(slug);
    const comment = await owner.request('POST', `/api/drops/${slug}/comments`, { body: { text: 'x' } });
    const { body: drop } = await owner.get(`/api/drops/${slug}`);
    const { body } = await (await service.newToken(owner)).get('/api/me');
    const read = async () => (await owner.get(`/api/drops/${slug}`)).body;
    return {
      owner,
      slug,
      drop,
      read,
      etag: headers.etag ?? '',
      target: { slug, tokenId: body.token?.id ?? '', commentId: comment.body.id },
    };
  }

  it('is described, and needs a token, except the agent protocol and the sign-in', () => {
    const routes = routesWith().routes.filter(({ path }) => path.startsWith('/api/'));
    expect(routes.filter(({ operation }) => operation === undefined)).to.deep.equal([]);
    const open = routes.filter(({ access }) => access === 'open' || access === 'signInStart');
    expect(open.map(({ path }) => path)).to.have.members(openPaths);
  });

  /** A scene for all tests of the suite, whose drop, tokens and comments are the same after them. */
  function useKeptScene() {
    const open = async () => {
      const made = await scene();
      const paths = ['/api/tokens', '/api/comments?state=all', `/api/drops/${made.slug}`];
      const readAll = () => Promise.all(paths.map(async (path) => (await made.owner.get(path)).text));
      return { ...made, readAll, before: await readAll() };
    };
    return between(before, after, open, async (opened) => {
      expect(await opened?.readAll()).to.deep.equal(opened?.before);
    });
  }

  describe('without a valid token', () => {
    const kept = useKeptScene();
    const mcp = { name: 'POST /mcp', method: 'POST', body: {}, path: () => '/mcp' };
    const ofTokens = tokenCalls.map((call) => ({
      ...call,
      path: () => pathOf(call, kept.owner, kept.target),
    }));

    for (const { name, method, path, body } of [...ofTokens, mcp]) {
      it(`none: 401 unauthorized with WWW-Authenticate: ${name}`, async () => {
        const answer = await service.request(method, path(), { body });
        expectError(answer, 401, 'unauthorized');
        expect(answer.headers['www-authenticate']).to.equal('Bearer realm="dropleaf"');
      });

      it(`malformed, unknown or revoked: 401 ${name === readAccount ? 'unauthorized' : 'invalid_token'} with WWW-Authenticate: ${name}`, async () => {
        const { owner } = kept;
        const revoked = await service.newToken(owner);
        const { token } = (await revoked.get('/api/me')).body;
        expect((await revoked.request('DELETE', `/api/tokens/${token?.id}`)).status).to.equal(204);
        const last = owner.token.at(-1) === 'A' ? 'B' : 'A';
        for (const bad of [
          'x',
          'dl_',
          owner.token.slice(0, -1),
          `${owner.token}A`,
          owner.token.slice(0, -1) + last,
          owner.token.toUpperCase(),
          newToken(),
          revoked.token,
        ]) {
          const headers = { authorization: `Bearer ${bad}` };
          const answer = await service.request(method, path(), { body, headers });
          expectError(answer, 401, name === readAccount ? 'unauthorized' : 'invalid_token');
          const challenge = 'Bearer realm="dropleaf", error="invalid_token"';
          expect(answer.headers['www-authenticate']).to.equal(challenge);
        }
      });
    }
  });

  describe('on what is not there', () => {
    const kept = useKeptScene();

    for (const call of dropCalls)
      it(`a drop that does not exist: 404 not_found; what is no slug: 400 invalid_slug: ${call.name}`, async () => {
        for (const slug of ['nosuchslug00', 'x_-9'.repeat(16)])
          expectError(await send(call, owner, { slug }), 404, 'not_found');
        for (const slug of notSlugs) expectError(await send(call, owner, { slug }), 400, 'invalid_slug');
      });

    for (const call of tokenCalls.filter(({ path }) => /:(slug|id|comment)/.test(path)))
      it(`what another account has: the same answer: ${call.name}`, async () => {
        const theirs = await send(call, owner, kept.target);
        expectError(theirs, 404, 'not_found');
        const none = await send(call, owner, { slug: 'nosuchslug00', tokenId: '0123456789ab' });
        expect(theirs.text).to.equal(none.text);
      });
  });

  for (const call of tokenCalls.filter(({ method }) => method === 'GET'))
    it(`HEAD: its status and headers without a body, no cookie, no caching: ${call.name}`, async () => {
      const { owner, target } = await scene();
      const path = pathOf(call, owner, target);
      const got = await owner.get(path);
      expect(got.status).to.equal(200);
      expect(got.headers['cache-control']).to.equal('no-store');
      expect(got.headers['x-content-type-options']).to.equal('nosniff');
      const head = await owner.request('HEAD', path);
      expect([head.status, head.bytes.length]).to.deep.equal([200, 0]);
      const { 'x-request-id': _one, ...ofHead } = lasting(head);
      const { 'x-request-id': _other, ...ofGet } = lasting(got);
      expect(ofHead).to.deep.equal(ofGet);
      expect(got.cookies).to.deep.equal([]);
    });

  describe('ignores unknown parameters and unknown fields', () => {
    const unknown = { constructor: 1, view_count: 99, slugs: ['x'] };
    const misspelled = 'page_size=0&sort_by=x&utm_source=y&metadata=z&Page=7&__proto__=1';
    for (const call of tokenCalls)
      it(titleOf(call), async () => {
        const plain = await scene();
        const added = await scene();
        const expected = await send(call, plain.owner, plain.target);
        const path = pathOf(call, added.owner, added.target);
        const answer = await added.owner.request(
          call.method,
          `${path}${path.includes('?') ? '&' : '?'}${misspelled}`,
          jsonCalls.includes(call) ? { body: { ...Object(call.body), ...unknown } } : {},
        );
        expect(answer.status).to.equal(expected.status);
        const { warnings: _, ...body } = answer.body ?? {};
        const keys = Object.keys(Array.isArray(answer.body) ? answer.body : body);
        expect(keys).to.deep.equal(Object.keys(expected.body ?? {}));
        expect(answer.body?.pagination).to.deep.equal(expected.body?.pagination);
      });
  });

  describe('of a suspended account', () => {
    for (const call of tokenCalls) {
      const isAllowed = call.method === 'GET' || allowedIfSuspended.includes(call.name);
      it(`${call.name}: ${isAllowed ? 'as before' : '403 forbidden'}`, async () => {
        const { owner, target } = await scene();
        const account = await service.accountOf(owner);
        const { moderation } = service.services;
        await moderation.suspend(account, operator);
        const answer = await send(call, owner, target);
        if (isAllowed) expect(answer.status).to.be.oneOf([200, 204]);
        else expectError(answer, 403, 'forbidden');
        await moderation.unsuspend(account, operator);
        const again = await send(call, owner, target);
        expect(again.status, 'suspended no more').to.be.oneOf(
          allowedIfSuspended.includes(call.name) ? [404] : [200, 201, 204],
        );
      });
    }
  });

  describe('on a drop that was taken down', () => {
    for (const call of dropCalls.filter(({ method }) => method === 'GET')) {
      it(`${call.name}: 200`, async () => {
        const { owner, target, slug } = await scene();
        await service.services.moderation.takeDown(slug, operator);
        expect((await send(call, owner, target)).status).to.equal(200);
      });
    }

    for (const call of dropChanges) {
      it(`${titleOf(call)}: 403 forbidden with the reason and the time, whatever If-Match is, and nothing changes`, async () => {
        const { owner, target, slug, etag, drop, read } = await scene();
        await service.services.moderation.takeDown(slug, operator);
        const taken_down = { at: service.clock.now(), reason: 'phishing' };
        for (const headers of [{}, { 'if-match': etag }, { 'if-match': '"1"' }]) {
          const details = expectError(await send(call, owner, target, { headers }), 403, 'forbidden');
          expect(details).to.deep.equal({ reason: 'phishing', taken_down_at: taken_down.at });
          const stranger = await service.newOwner();
          expectError(await send(call, stranger, target, { headers }), 404, 'not_found');
        }
        expect(await read()).to.deep.equal({ ...drop, taken_down });
      });
    }

    it(`${createComment}: 403 forbidden with the reason`, async () => {
      const { owner, slug } = await scene();
      await service.services.moderation.takeDown(slug, operator);
      const answer = await owner.request('POST', `/api/drops/${slug}/comments`, { body: { text: 'x' } });
      expect(expectError(answer, 403, 'forbidden').reason).to.equal('phishing');
    });

    it(`${deleteDrop}: 204`, async () => {
      const { owner, slug } = await scene();
      await service.services.moderation.takeDown(slug, operator);
      expect((await owner.request('DELETE', `/api/drops/${slug}`)).status).to.equal(204);
    });
  });

  describe('with If-Match', () => {
    for (const call of [...dropChanges, ...dropCalls.filter(({ name }) => name === deleteDrop)]) {
      it(`${titleOf(call)}: changes the drop that has the ETag, and answers with the new one`, async () => {
        const { owner, target, slug, etag } = await scene();
        const answer = await send(call, owner, target, { headers: { 'if-match': etag } });
        expect(answer.status).to.equal(call.name === deleteDrop ? 204 : 200);
        if (call.name === deleteDrop) return;
        expect(answer.headers.etag).to.match(/^"\d+"$/);
        expect(answer.headers.etag).to.not.equal(etag);
        const read = await owner.get(`/api/drops/${slug}`);
        expect(read.headers.etag).to.equal(answer.headers.etag);
        expect(read.body).to.deep.equal(answer.body);
      });

      it(`${titleOf(call)}: otherwise 412 version_conflict with the latest version, updated_at and the ETag`, async () => {
        const { owner, target, etag, drop, read } = await scene();
        const stale = { headers: { 'if-match': '"1"' } };
        const answer = await send(call, owner, target, stale);
        const { latest_version, updated_at } = drop;
        const details = expectError(answer, 412, 'version_conflict');
        expect(details).to.deep.equal({ latest_version, updated_at, etag });
        expect(answer.headers.etag).to.equal(etag);
        expect(await read(), 'nothing changes').to.deep.equal(drop);
        expectError(await send(call, await service.newOwner(), target, stale), 404, 'not_found');
      });
    }
  });
});
