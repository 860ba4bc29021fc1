import { expect } from 'chai';
import { type Call, deleteDrop, dropCalls, dropChanges, send } from '../support/calls.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { type Owner, useService } from '../support/service.ts';
import { until } from '../support/until.ts';

const operator = { by: 'root', reason: 'phishing' };

describe('A request that is being handled while its page is taken down', () => {
  const gate = createGate();
  after(() => gate.open());
  const methods = ['addVersion', 'changeDetails', 'setLock', 'removeVersion', 'remove'] as const;
  const service = useService({ WRITES_PER_DAY: '3' }, (own) => ({
    ...own,
    drops: gate.wrap(own.drops, methods),
  }));

  /** Sends the request, takes the page down where the record is about to be changed, and lets it go on. */
  async function overtaken(owner: Owner, slug: string, call: Call | undefined) {
    gate.hold();
    const answer = send(call ?? expect.fail(), owner, { slug });
    await until(() => gate.waiting() > 0, 'the change waits for its record');
    await service.services.moderation.takeDown(slug, operator);
    gate.open();
    return answer;
  }

  for (const call of dropChanges) {
    it(`${call.name} ${JSON.stringify(call.body) ?? ''}: 403 forbidden as after the takedown, and nothing changes`, async () => {
      const owner = await service.newOwner();
      const { slug } = await owner.create();
      await owner.put(slug);
      const readAll = () =>
        Promise.all(
          ['', '/versions'].map(async (rest) => (await owner.get(`/api/drops/${slug}${rest}`)).text),
        );
      const before = await readAll();
      service.clock.advance(1); // so that updated_at would tell
      const answer = await overtaken(owner, slug, call);
      expect(expectError(answer, 403, 'forbidden')).to.deep.equal({
        reason: 'phishing',
        taken_down_at: service.clock.now(),
      });
      const later = await send(call, owner, { slug });
      expect(answer.text, 'as one that comes later').to.equal(later.text);
      await service.services.moderation.restore(slug, operator);
      expect(await readAll()).to.deep.equal(before);
      expect((await service.get(`/p/${slug}/raw`)).status, 'without a gate').to.equal(200);
    });
  }

  it('PUT: does not count for WRITES_PER_DAY, and leaves no blobs', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const { html, contexts } = service.services.engine;
    const blobs = () => Promise.all([html, contexts].map((store) => store.listIds('', 'z', 1_000)));
    const before = await blobs();
    for (let n = 0; n < 3; n++) {
      const body = { html: '<p>New', context: 'why' };
      const put = dropChanges.find(({ method }) => method === 'PUT');
      const answer = await overtaken(owner, slug, put && { ...put, body });
      expectError(answer, 403, 'forbidden');
      await service.services.moderation.restore(slug, operator);
    }
    expect(await blobs()).to.deep.equal(before);
    for (let n = 0; n < 2; n++) expect((await owner.put(slug)).status).to.equal(200);
  });

  it('DELETE: 204, and the drop is deleted', async () => {
    const owner = await service.newOwner();
    const { slug } = await owner.create();
    const remove = dropCalls.find(({ name }) => name === deleteDrop);
    expect((await overtaken(owner, slug, remove)).status).to.equal(204);
    expectError(await service.get(`/p/${slug}`), 404, 'not_found');
  });
});
