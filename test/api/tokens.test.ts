import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { type Owner, useService } from '../support/service.ts';
import type { WireToken } from '../support/wire.ts';

const idOf = (owner: Owner) => createHash('sha256').update(owner.token).digest('hex').slice(0, 12);

describe('Tokens', () => {
  const service = useService();
  const list = (owner: Owner) => owner.get<WireToken[]>('/api/tokens');

  describe('GET /api/tokens', () => {
    it("200: JSON array of the caller's active token records, without plaintext", async () => {
      const owner = await service.newOwner();
      const second = await service.newToken(owner, 'laptop');
      const answer = await list(owner);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.be.an('array').with.length(2);
      for (const record of answer.body) {
        expect(record).to.have.all.keys('id', 'label', 'created_at', 'last_used_at');
        expect(record.created_at).to.equal(service.clock.now());
      }
      expect(answer.body.map((record) => record.label)).to.have.members(['test', 'laptop']);
      expect(answer.text).to.not.include(owner.token).and.not.include(second.token).and.not.include('dl_');
    });

    it('the id is the first 12 hex characters of the token hash', async () => {
      const owner = await service.newOwner();
      expect((await list(owner)).body.map((record) => record.id)).to.deep.equal([idOf(owner)]);
    });

    it('last_used_at: null until the first use', async () => {
      const owner = await service.newOwner();
      const unused = await service.newToken(owner, 'unused');
      const record = (await list(owner)).body.find(({ id }) => id === idOf(unused));
      expect(record?.last_used_at).to.equal(null);
    });

    it("never somebody else's", async () => {
      const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
      expect((await list(other)).body.map((record) => record.id)).to.not.include(idOf(owner));
    });
  });

  describe('DELETE /api/tokens/{id}', () => {
    it('204 no body when revoked; the others go on', async () => {
      const owner = await service.newOwner();
      const second = await service.newToken(owner, 'laptop');
      const answer = await owner.request('DELETE', `/api/tokens/${idOf(second)}`);
      expect(answer.status).to.equal(204);
      expect(answer.bytes).to.have.length(0);
      expectError(await second.get('/api/drops'), 401, 'invalid_token');
      expect((await list(owner)).body.map((record) => record.id)).to.deep.equal([idOf(owner)]);
    });

    it('the token used for the call: revoked too', async () => {
      const owner = await service.newOwner();
      expect((await owner.request('DELETE', `/api/tokens/${idOf(owner)}`)).status).to.equal(204);
      expectError(await owner.get('/api/drops'), 401, 'invalid_token');
    });

    it('revoked for good: also after a restart', async () => {
      const owner = await service.newOwner();
      const second = await service.newToken(owner);
      await owner.request('DELETE', `/api/tokens/${idOf(second)}`);
      await service.restart();
      expectError(await second.get('/api/drops'), 401, 'invalid_token');
      expect((await owner.get('/api/me')).body.user_id).to.equal(owner.userId);
    });

    it('drops stay: they are the account’s', async () => {
      const owner = await service.newOwner();
      const second = await service.newToken(owner);
      const { slug } = await second.create();
      await owner.request('DELETE', `/api/tokens/${idOf(second)}`);
      expect((await owner.get(`/api/drops/${slug}`)).status).to.equal(200);
    });

    it('no token matches: 404 not_found; revoked already too', async () => {
      const owner = await service.newOwner();
      const second = await service.newToken(owner);
      expectError(await owner.request('DELETE', '/api/tokens/0123456789ab'), 404, 'not_found');
      await owner.request('DELETE', `/api/tokens/${idOf(second)}`);
      expectError(await owner.request('DELETE', `/api/tokens/${idOf(second)}`), 404, 'not_found');
    });

    it("somebody else's token: 404 not_found, and it goes on", async () => {
      const [owner, other] = await Promise.all([service.newOwner(), service.newOwner()]);
      expectError(await other.request('DELETE', `/api/tokens/${idOf(owner)}`), 404, 'not_found');
      expect((await owner.get('/api/me')).status).to.equal(200);
    });

    it('an id that does not match ^[0-9a-f]{12}$: 400 invalid_arg', async () => {
      const owner = await service.newOwner();
      for (const id of ['x', idOf(owner).slice(1), `${idOf(owner)}0`, 'ABCDEF012345', '%30123456789ab']) {
        expectError(await owner.request('DELETE', `/api/tokens/${id}`), 400, 'invalid_arg');
      }
    });

    it('parallel: exactly one is answered 204', async () => {
      const owner = await service.newOwner();
      const second = await service.newToken(owner);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => owner.request('DELETE', `/api/tokens/${idOf(second)}`)),
      );
      expect(answers.filter((answer) => answer.status === 204)).to.have.length(1);
      expect(answers.filter((answer) => answer.status === 404)).to.have.length(9);
    });
  });
});
