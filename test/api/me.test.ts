import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

const minute = 60_000;

describe('GET /api/me', () => {
  const service = useService();

  it('200 caller info: user_id, created_at, drop_count, and the token used for the call', async () => {
    const owner = await service.newOwner();
    const answer = await owner.get('/api/me');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.have.all.keys('user_id', 'created_at', 'drop_count', 'token');
    expect(answer.body).to.include({ user_id: owner.userId, created_at: service.clock.now(), drop_count: 0 });
    expect(answer.body.token).to.have.all.keys('id', 'label', 'created_at', 'last_used_at');
    expect(answer.body.token?.id).to.match(/^[0-9a-f]{12}$/);
    expect(answer.body.token).to.include({ label: 'test', created_at: service.clock.now() });
    expect(answer.text).to.not.include(owner.token);
  });

  it('each token says who it is; label is null when none was given', async () => {
    const owner = await service.newOwner();
    const second = await service.newToken(owner);
    const [one, two] = await Promise.all([owner.get('/api/me'), second.get('/api/me')]);
    expect(one.body.user_id).to.equal(two.body.user_id);
    expect(one.body.token?.id).to.not.equal(two.body.token?.id);
    expect(two.body.token?.label).to.equal(null);
  });

  it('drop_count: live drops', async () => {
    const owner = await service.newOwner();
    const drops = await Promise.all([owner.create(), owner.create(), owner.create()]);
    await owner.put(drops[0].slug);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(3);
    await owner.request('DELETE', `/api/drops/${drops[0].slug}`);
    expect((await owner.get('/api/me')).body.drop_count).to.equal(2);
  });

  it("last_used_at: an integer, within a minute of the token's use", async () => {
    const owner = await service.newOwner();
    await owner.get('/api/drops');
    service.clock.advance(10 * minute);
    const used = service.clock.now();
    await owner.get('/api/drops');
    service.clock.advance(minute / 2);
    await service.eventually(async () => {
      const { token } = (await owner.get('/api/me')).body;
      expect(token?.last_used_at)
        .to.be.a('number')
        .within(used - minute, service.clock.now());
    });
  });

  it('401 unauthorized without valid credentials', async () => {
    expectError(await service.get('/api/me'), 401, 'unauthorized');
    expectError(await service.get('/api/me', { token: 'dl_nope' }), 401, 'unauthorized');
  });
});
