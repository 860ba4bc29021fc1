import { expect } from 'chai';
import { expectDrop, expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('POST /api/drops/{slug}/passcode', () => {
  const service = useService();

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create(fields);
    const path = `/api/drops/${drop.slug}`;
    const gate = (passcode: unknown) => owner.request('POST', `${path}/passcode`, { body: { passcode } });
    return { owner, drop, path, gate };
  }

  it('passcode is non-empty: gate set, 200 with Drop', async () => {
    const { owner, drop, path, gate } = await withDrop();
    service.clock.advance(1000);
    const answer = await gate('sesame');
    expect(answer.status).to.equal(200);
    expectDrop(answer.body);
    expect(answer.body).to.deep.equal({ ...drop, locked: true, updated_at: service.clock.now() });
    expect(answer.text).to.not.include('sesame');
    expect((await owner.get(path)).body).to.deep.equal(answer.body);
    expectError(await service.get(`/p/${drop.slug}/raw`), 403, 'passcode_required');
  });

  it('passcode is non-empty and a gate is set: changed', async () => {
    const { drop, gate } = await withDrop({ passcode: 'first' });
    expect((await gate('second')).body.locked).to.equal(true);
    expect((await service.unlock(drop.slug, 'first')).status).to.equal(403);
    expect((await service.unlock(drop.slug, 'second')).status).to.be.oneOf([302, 303]);
  });

  it('passcode is empty string: gate removed, 200 with Drop', async () => {
    const { drop, gate } = await withDrop({ passcode: 'first' });
    service.clock.advance(1000);
    const answer = await gate('');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ ...drop, locked: false, updated_at: service.clock.now() });
    expect((await service.get(`/p/${drop.slug}/raw`)).status).to.equal(200);
  });

  it('passcode is empty string and there is no gate: 200 with Drop', async () => {
    const { gate } = await withDrop();
    expect((await gate('')).status).to.equal(200);
  });

  it('without the field, or with a non-string: 400 passcode_required', async () => {
    const { owner, path, gate } = await withDrop();
    for (const value of [undefined, null, 1234, true, ['abcd'], {}]) {
      expectError(await gate(value), 400, 'passcode_required');
    }
    expectError(await owner.request('POST', `${path}/passcode`), 400, 'passcode_required');
  });

  it('1 to 3 characters: 400 passcode_too_short', async () => {
    const { owner, path, gate } = await withDrop();
    for (const passcode of ['a', 'abc', '😀😀😀'])
      expectError(await gate(passcode), 400, 'passcode_too_short');
    const { error } = (await gate('abc')).body;
    expect(error.message).to.equal('passcode must be at least 4 characters (got 3); use 6 or more');
    expect((await owner.get(path)).body.locked).to.equal(false);
    expect((await gate('abcd')).status).to.equal(200);
  });

  it('more than 256 characters: 400 invalid_arg', async () => {
    const { gate } = await withDrop();
    expectError(await gate('😀'.repeat(257)), 400, 'invalid_arg');
    expect((await gate('😀'.repeat(256))).status).to.equal(200);
  });

  it('a NUL: 400 invalid_arg', async () => {
    const { gate } = await withDrop();
    expectError(await gate('abcd\u0000'), 400, 'invalid_arg');
  });

  it('a passcode of spaces only is a passcode', async () => {
    const { drop, gate } = await withDrop();
    expect((await gate('    ')).body.locked).to.equal(true);
    expect((await service.unlock(drop.slug, '    ')).status).to.be.oneOf([302, 303]);
  });

  it('drop does not exist: 404 not_found', async () => {
    const { owner } = await withDrop();
    const answer = await owner.request('POST', '/api/drops/nosuchslug00/passcode', {
      body: { passcode: 'abcd' },
    });
    expectError(answer, 404, 'not_found');
  });

  it('no part of API authentication: the owner needs no passcode', async () => {
    const { owner, path } = await withDrop({ passcode: 'sesame', context: 'c' });
    expect((await owner.get(path)).status).to.equal(200);
    expect((await owner.get(`${path}/v/1`)).body.context).to.equal('c');
  });
});
