import { expect } from 'chai';
import { type Owner, useService } from '../support/service.ts';

type Change = (owner: Owner, path: string, slug: string) => Promise<{ status: number }>;

describe('updated_at', () => {
  const service = useService();

  const changes: Readonly<Record<string, Change>> = {
    PUT: (owner, _, slug) => owner.put(slug),
    PATCH: (owner, path) => owner.request('PATCH', path, { body: { title: 'new' } }),
    'a passcode': (owner, path) => owner.request('POST', `${path}/passcode`, { body: { passcode: 'abcd' } }),
    'the deletion of a version': (owner, path) => owner.request('DELETE', `${path}/v/1`),
  };
  const others: Readonly<Record<string, Change>> = {
    'a view': (_, __, slug) => service.view(`/p/${slug}`),
    async 'a render'(_, __, slug) {
      await service.settle();
      return service.get(`/p/${slug}/raw`);
    },
    async 'a read or a refused write'(owner, path, slug) {
      await owner.put(slug, { html: '' });
      await owner.request('PATCH', path, { body: { html: 'x' } });
      await owner.request('DELETE', `${path}/v/99`);
      await owner.request('POST', `${path}/passcode`, { body: { passcode: 'abc' } });
      return owner.get(`${path}/v/1`);
    },
  };

  for (const [name, change] of Object.entries({ ...changes, ...others })) {
    it(`${name in changes ? 'is the time of' : 'does not change with'} ${name}`, async () => {
      const owner = await service.newOwner();
      const { slug, created_at } = await owner.create();
      await owner.put(slug);
      const before = service.clock.now();
      service.clock.advance(10_000);
      expect((await change(owner, `/api/drops/${slug}`, slug)).status).to.be.within(200, 299);
      await service.settle();
      const updated_at = name in changes ? before + 10_000 : before;
      expect((await owner.get(`/api/drops/${slug}`)).body).to.include({ created_at, updated_at });
    });
  }
});
