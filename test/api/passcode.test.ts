import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { useService } from '../support/service.ts';

describe('POST /api/drops/{slug}/passcode', () => {
  const service = useService();

  async function withDrop(fields: object = {}) {
    const owner = await service.newOwner();
    const drop = await owner.create(fields);
    const path = `/api/drops/${drop.slug}`;
    const set = (passcode: string) => owner.request('POST', `${path}/passcode`, { body: { passcode } });
    return { owner, drop, path, set };
  }

  it('a passcode locks the drop: 200 with Drop', async () => {
    const { owner, drop, path, set } = await withDrop();
    service.clock.advance(1000);
    const answer = await set('sesame');
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({ ...drop, locked: true, updated_at: service.clock.now() });
    expect(answer.text).to.not.include('sesame');
    expect((await owner.get(path)).body).to.deep.equal(answer.body);
    expectError(await service.get(`/p/${drop.slug}/raw`), 403, 'passcode_required');
  });

  it('a new passcode replaces the old one; spaces are a passcode too', async () => {
    const { drop, set } = await withDrop({ passcode: 'first' });
    expect((await set('    ')).body.locked).to.equal(true);
    expect((await service.unlock(drop.slug, 'first')).status).to.equal(403);
    expect((await service.unlock(drop.slug, '    ')).status).to.be.oneOf([302, 303]);
  });

  it('an empty passcode unlocks the drop, also if it has none', async () => {
    const { drop, set } = await withDrop({ passcode: 'first' });
    service.clock.advance(1000);
    for (let n = 0; n < 2; n++) {
      const answer = await set('');
      expect(answer.status).to.equal(200);
      expect(answer.body).to.deep.equal({ ...drop, locked: false, updated_at: service.clock.now() });
    }
    expect((await service.get(`/p/${drop.slug}/raw`)).status).to.equal(200);
  });

  it('no body: 400 passcode_required', async () => {
    const { owner, path } = await withDrop();
    expectError(await owner.request('POST', `${path}/passcode`), 400, 'passcode_required');
  });

  it('the owner needs no passcode', async () => {
    const { owner, path } = await withDrop({ passcode: 'sesame', context: 'c' });
    expect((await owner.get(path)).status).to.equal(200);
    expect((await owner.get(`${path}/v/1`)).body.context).to.equal('c');
  });
});
