import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { type Owner, useOwner, useService } from '../support/service.ts';
import type { WireToken } from '../support/wire.ts';

const minute = 60_000;

/** The first 12 hex characters of the token's hash. */
const idOf = (owner: Owner) => createHash('sha256').update(owner.token).digest('hex').slice(0, 12);
const list = (owner: Owner) => owner.get<WireToken[]>('/api/tokens');
const revoke = (owner: Owner, id: string) => owner.request('DELETE', `/api/tokens/${id}`);

describe('GET /api/me', () => {
  const service = useService();
  const owner = useOwner(service);

  it('200 caller info: user_id, created_at, drop_count, and the token of the call', async () => {
    const second = await service.newToken(owner);
    const now = service.clock.now();
    const answer = await owner.get('/api/me');
    expect(answer.status).to.equal(200);
    const { token, ...caller } = answer.body;
    expect(caller).to.deep.equal({ user_id: owner.userId, created_at: now, drop_count: 0 });
    expect(token).to.have.all.keys('id', 'label', 'created_at', 'last_used_at');
    expect(token).to.include({ id: idOf(owner), label: 'test', created_at: now });
    expect(answer.text).to.not.include(owner.token);
    const other = (await second.get('/api/me')).body;
    expect(other.user_id).to.equal(owner.userId);
    expect(other.token).to.include({ id: idOf(second), label: null });
  });

  it('include=name: also the name of the account; another value is 400 invalid_arg', async () => {
    const owner = await service.newOwner('ada');
    const { name, ...caller } = (await owner.get('/api/me?include=name')).body;
    expect(name).to.equal('ada');
    expect(caller).to.deep.equal((await owner.get('/api/me')).body);
    expectError(await owner.get('/api/me?include=email'), 400, 'invalid_arg');
  });

  it('drop_count: live drops', async () => {
    const [drop] = await Promise.all([owner.create(), owner.create(), owner.create()]);
    await owner.put(drop.slug);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(3);
    await owner.request('DELETE', `/api/drops/${drop.slug}`);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(2);
  });

  it("last_used_at: within a minute of the token's last use", async () => {
    await owner.get('/api/drops');
    service.clock.advance(10 * minute);
    const used = service.clock.now();
    await owner.get('/api/drops');
    service.clock.advance(minute / 2);
    await service.eventually(async () => {
      const { token } = (await owner.get('/api/me')).body;
      expect(token?.last_used_at).to.be.within(used - minute, service.clock.now());
    });
  });
});

describe('GET /api/tokens', () => {
  const service = useService();

  it("200: the records of the account's active tokens, without the tokens", async () => {
    const owner = await service.newOwner();
    const second = await service.newToken(owner, 'laptop');
    await service.newOwner();
    const answer = await list(owner);
    expect(answer.status).to.equal(200);
    const records = answer.body.map(({ id, label, created_at }) => ({ id, label, created_at }));
    const created_at = service.clock.now();
    expect(records).to.have.deep.members([
      { id: idOf(owner), label: 'test', created_at },
      { id: idOf(second), label: 'laptop', created_at },
    ]);
    expect(answer.body.find(({ id }) => id === idOf(second))?.last_used_at, 'not used yet').to.equal(null);
    expect(answer.text).to.not.include('dl_');
  });
});

describe('PATCH /api/tokens/{id}', () => {
  const service = useService();
  const owner = useOwner(service);
  const rename = (owner: Owner, id: string, label: unknown) =>
    owner.request<WireToken>('PATCH', `/api/tokens/${id}`, { body: { label } });

  it('200: the record with its new label, null for none; the token stays valid', async () => {
    const second = await service.newToken(owner, 'laptop');
    for (const label of ['old laptop', null, '\u202e<b>$name']) {
      const answer = await rename(owner, idOf(second), label);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.include({ id: idOf(second), label });
      expect((await second.get('/api/me')).body.token?.label).to.equal(label);
    }
  });

  it('a missing or wrong label: 400 invalid_arg', async () => {
    for (const label of [undefined, 7, 'x'.repeat(101), 'a\0b'])
      expectError(await rename(owner, idOf(owner), label), 400, 'invalid_arg');
    expect((await owner.get('/api/me')).body.token?.label).to.equal('test');
  });
});

describe('A token with an end', () => {
  const service = useService();

  it('shows expires_at, is valid until then, and not afterwards; store.reconcile removes it', async () => {
    const owner = await service.newOwner();
    const { tokens, engine, jobs } = service.services;
    const expiresAt = service.clock.now() + minute;
    const token = await tokens.mint(owner.userId, { label: 'for a day', scope: 'all', expiresAt });
    const read = () => service.get('/api/me', { token });
    const id = (await read()).body.token?.id ?? '';
    expect((await read()).body.token).to.include({ id, expires_at: expiresAt });
    expect((await list(owner)).body.map(({ expires_at }) => expires_at)).to.have.members([
      expiresAt,
      undefined,
    ]);
    service.clock.advance(minute - 1);
    expect((await read()).status).to.equal(200);
    service.clock.advance(1);
    expectError(await read(), 401, 'unauthorized');
    expectError(await service.get('/api/drops', { token }), 401, 'invalid_token');
    expect((await list(owner)).body.map((record) => record.id)).to.deep.equal([idOf(owner)]);
    service.clock.advance(1);
    await jobs.enqueue('store.reconcile', {});
    await service.settle();
    expect(await engine.tokens.find(id)).to.equal(null);
  });
});

describe('DELETE /api/tokens/{id}', () => {
  const service = useService();
  const owner = useOwner(service);

  it('204 without a body; the other tokens and all drops stay, also after a restart', async () => {
    const second = await service.newToken(owner, 'laptop');
    const { slug } = await second.create();
    const answer = await revoke(owner, idOf(second));
    expect(answer.status).to.equal(204);
    expect(answer.bytes).to.have.length(0);
    for (const later of [async () => undefined, service.restart]) {
      await later();
      expectError(await second.get('/api/drops'), 401, 'invalid_token');
      expect((await list(owner)).body.map(({ id }) => id)).to.deep.equal([idOf(owner)]);
      expect((await owner.get(`/api/drops/${slug}`)).status).to.equal(200);
    }
  });

  it('the token of the call is revoked too', async () => {
    expect((await revoke(owner, idOf(owner))).status).to.equal(204);
    expectError(await owner.get('/api/drops'), 401, 'invalid_token');
  });

  it('an id that does not match ^[0-9a-f]{12}$: 400 invalid_arg', async () => {
    for (const id of ['x', idOf(owner).slice(1), `${idOf(owner)}0`, 'ABCDEF012345', '%30123456789ab']) {
      expectError(await revoke(owner, id), 400, 'invalid_arg');
    }
  });

  it('in parallel: exactly one is answered 204', async () => {
    const second = await service.newToken(owner);
    const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(owner, idOf(second))));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, ...Array(9).fill(404)]);
  });
});
