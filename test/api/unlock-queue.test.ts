import { expect } from 'chai';
import { createGate } from '../support/gate.ts';
import { useService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('The queue of passcode checks', () => {
  const gate = createGate();
  const service = useService({ TRUST_PROXY: '1', WRITES_PER_MINUTE: '1000' }, (engine) => ({
    ...engine,
    drops: gate.wrap(engine.drops),
  }));

  it('an IPv6 network that guesses at many drops does not delay others', async () => {
    const owner = await service.newOwner();
    const slugs: string[] = [];
    for (let n = 0; n < 40; n++) slugs.push((await owner.create({ passcode: 'open-sesame' })).slug);
    const [quiet = '', ...attacked] = slugs;
    const enter = (slug: string, passcode: string, address: string) =>
      service.request('POST', `/p/${slug}`, {
        raw: `passcode=${passcode}`,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: service.url,
          'x-forwarded-for': address,
        },
      });
    gate.hold();
    let guessed = 0;
    const guesses = attacked.map(async (slug, n) => {
      expect((await enter(slug, 'wrong', `2001:db8:1:${n}::1`)).status).to.equal(403);
      guessed += 1;
    });
    await until(() => gate.waiting() === attacked.length, 'all guesses wait');
    const entered = enter(quiet, 'open-sesame', '2001:db8:2::1');
    await until(() => gate.waiting() === slugs.length, 'one more waits');
    gate.open();
    expect((await entered).status).to.equal(303);
    expect(guessed, 'earlier guesses').to.be.below(20);
    await Promise.all(guesses);
  });
});
