import { expect } from 'chai';
import { newToken } from '../../shared/credentials/token.ts';
import {
  type Call,
  callEverything,
  createComment,
  deleteDrop,
  dropCalls,
  dropChanges,
  jsonCalls,
  pathOf,
  send,
  tokenCalls,
} from '../support/calls.ts';
import { type Answer, lasting } from '../support/client.ts';
import { routesWith } from '../support/description.ts';
import { expectError } from '../support/expect.ts';
import { useOwner, useService } from '../support/service.ts';

const operator = { by: 'root', reason: 'phishing' };
const openPaths = ['/api/onboard', '/api/auth/start', '/api/auth/poll'];
/** A suspended account can revoke a leaked token. */
const allowedIfSuspended = ['DELETE /api/tokens/:id'];
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
      ...{ owner, slug, drop, read },
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

  describe('without a valid token', () => {
    const mcp = { name: 'POST /mcp', path: () => '/mcp', body: {} };

    async function allCalls() {
      const { owner, target, read, drop } = await scene();
      const all = tokenCalls.map((call) => ({ ...call, path: () => pathOf(call, owner, target) }));
      const methodOf = (name: string) => name.split(' ', 1)[0] ?? '';
      const callWith = async (headers: Readonly<Record<string, string>>) => {
        const answers: { name: string; answer: Answer }[] = [];
        for (const { name, path, body } of [...all, mcp])
          answers.push({ name, answer: await service.request(methodOf(name), path(), { body, headers }) });
        return answers;
      };
      const expectUnchanged = async () => expect(await read()).to.deep.equal(drop);
      return { owner, callWith, expectUnchanged };
    }

    it('none: 401 unauthorized with WWW-Authenticate, and nothing changes', async () => {
      const { callWith, expectUnchanged } = await allCalls();
      for (const { name, answer } of await callWith({})) {
        expectError(answer, 401, 'unauthorized');
        expect(answer.headers['www-authenticate'], name).to.equal('Bearer realm="dropleaf"');
      }
      await expectUnchanged();
    });

    it('malformed, unknown or revoked: 401 invalid_token with WWW-Authenticate; on GET /api/me unauthorized', async () => {
      const { owner, callWith, expectUnchanged } = await allCalls();
      const revoked = await service.newToken(owner);
      const { token } = (await revoked.get('/api/me')).body;
      expect((await revoked.request('DELETE', `/api/tokens/${token?.id}`)).status).to.equal(204);
      const last = owner.token.at(-1) === 'A' ? 'B' : 'A';
      for (const bad of [
        ...['x', 'dl_', owner.token.slice(0, -1), `${owner.token}A`, owner.token.slice(0, -1) + last],
        ...[owner.token.toUpperCase(), newToken(), revoked.token],
      ]) {
        for (const { name, answer } of await callWith({ authorization: `Bearer ${bad}` })) {
          expectError(answer, 401, name === 'GET /api/me' ? 'unauthorized' : 'invalid_token');
          const challenge = 'Bearer realm="dropleaf", error="invalid_token"';
          expect(answer.headers['www-authenticate'], name).to.equal(challenge);
        }
      }
      await expectUnchanged();
    });
  });

  describe('on what is not there', () => {
    it('a drop that does not exist: 404 not_found', async () => {
      for (const slug of ['nosuchslug00', 'x_-9'.repeat(16)])
        for (const answer of await callEverything(owner, slug)) expectError(answer, 404, 'not_found');
    });

    it("another account's drop or token: the same answers, and nothing changes", async () => {
      const { target, drop, owner, read } = await scene();
      const other = await service.newOwner();
      const before = (await owner.get('/api/tokens')).text;
      const comments = (await owner.get('/api/comments?state=all')).text;
      for (const call of tokenCalls.filter(({ path }) => /:(slug|id|comment)/.test(path))) {
        const theirs = await send(call, other, target);
        expectError(theirs, 404, 'not_found');
        const none = await send(call, other, { slug: 'nosuchslug00', tokenId: '0123456789ab' });
        expect(theirs.text, call.name).to.equal(none.text);
      }
      expect(await read()).to.deep.equal(drop);
      expect((await owner.get('/api/tokens')).text).to.equal(before);
      expect((await owner.get('/api/comments?state=all')).text).to.equal(comments);
    });

    it('a slug outside ^[A-Za-z0-9_-]{1,64}$: 400 invalid_slug', async () => {
      for (const slug of ['a.b', '%61bc', 'a%20b', '%C3%A4', 'a~b', 'x'.repeat(65), '%00', '%ff', 'a%2Fb'])
        for (const answer of await callEverything(owner, slug)) expectError(answer, 400, 'invalid_slug');
    });
  });

  it('HEAD of a GET: its status and headers without a body, no cookie, no caching', async () => {
    const { owner, target } = await scene();
    for (const call of tokenCalls.filter(({ method }) => method === 'GET')) {
      const path = pathOf(call, owner, target);
      const got = await owner.get(path);
      expect(got.status, path).to.equal(200);
      expect(got.headers['cache-control'], path).to.equal('no-store');
      expect(got.headers['x-content-type-options'], path).to.equal('nosniff');
      const head = await owner.request('HEAD', path);
      expect([head.status, head.bytes.length], path).to.deep.equal([200, 0]);
      const { 'x-request-id': _one, ...ofHead } = lasting(head);
      const { 'x-request-id': _other, ...ofGet } = lasting(got);
      expect(ofHead, path).to.deep.equal(ofGet);
      expect(got.cookies, path).to.deep.equal([]);
    }
  });

  it('ignores unknown parameters and unknown fields', async () => {
    const unknown = { constructor: 1, view_count: 99, slugs: ['x'] };
    const misspelled = 'page_size=0&sort_by=x&utm_source=y&metadata=z&Page=7&__proto__=1';
    for (const call of [...tokenCalls]) {
      const [plain, added] = [await scene(), await scene()];
      const expected = await send(call, plain.owner, plain.target);
      const path = pathOf(call, added.owner, added.target);
      const answer = await added.owner.request(
        call.method,
        `${path}${path.includes('?') ? '&' : '?'}${misspelled}`,
        jsonCalls.includes(call) ? { body: { ...Object(call.body), ...unknown } } : {},
      );
      expect(answer.status, call.name).to.equal(expected.status);
      const { warnings: _, ...body } = answer.body ?? {};
      const keys = Object.keys(Array.isArray(answer.body) ? answer.body : body);
      expect(keys, call.name).to.deep.equal(Object.keys(expected.body ?? {}));
      expect(answer.body?.pagination, call.name).to.deep.equal(expected.body?.pagination);
    }
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
