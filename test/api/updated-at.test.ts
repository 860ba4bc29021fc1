import { expect } from 'chai';
import { type Owner, useService } from '../support/service.ts';

describe('updated_at', () => {
  const service = useService();

  async function updatedBy(
    change: (owner: Owner, path: string, slug: string) => Promise<{ status: number }>,
  ) {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    await owner.put(slug);
    service.clock.advance(10_000);
    const before = (await owner.get(`/api/drops/${slug}`)).body;
    const { status } = await change(owner, `/api/drops/${slug}`, slug);
    expect(status).to.be.within(200, 299);
    await service.settle();
    const after = (await owner.get(`/api/drops/${slug}`)).body;
    expect(after.created_at, 'created_at never moves').to.equal(before.created_at);
    return { moved: after.updated_at !== before.updated_at, isNow: after.updated_at === service.clock.now() };
  }

  it('starts as created_at', async () => {
    const owner = await service.newOwner();
    const drop = await owner.create();
    expect(drop.updated_at).to.equal(drop.created_at);
  });

  it('moves with PUT', async () => {
    expect((await updatedBy((owner, _, slug) => owner.put(slug))).isNow).to.equal(true);
  });

  it('moves with PATCH', async () => {
    const patch = (owner: Owner, path: string) => owner.request('PATCH', path, { body: { title: 'new' } });
    expect((await updatedBy(patch)).isNow).to.equal(true);
  });

  it('moves with passcode', async () => {
    const gate = (owner: Owner, path: string) =>
      owner.request('POST', `${path}/passcode`, { body: { passcode: 'abcd' } });
    expect((await updatedBy(gate)).isNow).to.equal(true);
  });

  it('moves with version delete', async () => {
    const remove = (owner: Owner, path: string) => owner.request('DELETE', `${path}/v/1`);
    expect((await updatedBy(remove)).isNow).to.equal(true);
  });

  it('never moves with views', async () => {
    const view = (_: Owner, __: string, slug: string) => service.view(`/p/${slug}`);
    expect((await updatedBy(view)).moved).to.equal(false);
  });

  it('never moves with renders', async () => {
    const render = async (_: Owner, __: string, slug: string) => {
      await service.settle();
      return service.get(`/p/${slug}/raw`);
    };
    expect((await updatedBy(render)).moved).to.equal(false);
  });

  it('never moves with reads, nor with a write that was refused', async () => {
    const refused = async (owner: Owner, path: string, slug: string) => {
      await owner.put(slug, { html: '' });
      await owner.request('PATCH', path, { body: { html: 'x' } });
      await owner.request('DELETE', `${path}/v/99`);
      await owner.request('POST', `${path}/passcode`, { body: { passcode: 'abc' } });
      return owner.get(`${path}/v/1`);
    };
    expect((await updatedBy(refused)).moved).to.equal(false);
  });
});
