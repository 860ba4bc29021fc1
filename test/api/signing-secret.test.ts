import { expect } from 'chai';
import { createPerson } from '../support/person.ts';
import { useService } from '../support/service.ts';

const second = 1_000;
const hour = 3_600 * second;

describe('A new signing secret', () => {
  const service = useService({ SIGN_IN_STARTS_PER_MINUTE: '1000' });

  /** Somebody who entered a passcode, and somebody halfway through a sign-in. */
  async function begin() {
    const owner = await service.newOwner();
    const { slug } = await owner.create({ passcode: 'open sesame' });
    const { cookie, frame } = await service.enter(slug, 'open sesame');
    const person = createPerson(service);
    const { code, poll_token } = (await service.request('POST', '/api/auth/start')).body;
    const local = await person.submit(await person.open(`/sign-in?code=${code}`), {});
    expect(local.path).to.equal('/sign-in/local');
    return {
      isOpen: async () => {
        const viewer = await service.get(`/p/${slug}`, { headers: { cookie } });
        return viewer.text.includes('<iframe') && (await service.get(frame)).status === 200;
      },
      async finish(): Promise<string> {
        const key = service.services.signInKey ?? '';
        const request = await person.submit(local, { name: 'ada', key });
        const done = await person.submit(request, { decision: 'approve' });
        expect(done.path, done.text).to.equal('/sign-in/done');
        return (await service.get(`/api/auth/poll?token=${poll_token}`)).body.status;
      },
      /** In another browser, which knows the code alone. */
      typeCode: async () => {
        const other = createPerson(service);
        return (await other.submit(await other.open('/sign-in'), { code })).path;
      },
    };
  }

  it('signs nobody out: not who entered a passcode, nor who is halfway through a sign-in', async () => {
    const { signingSecrets } = service.services;
    const before = await begin();
    expect(await signingSecrets.rotate()).to.include({ outcome: 'added' });
    const meanwhile = await begin();
    service.clock.advance(150 * second);
    const after = await begin();
    expect(await signingSecrets.accepted()).to.have.length(2);
    await service.restart();
    for (const each of [before, meanwhile, after]) {
      expect(await each.isOpen()).to.equal(true);
      expect(await each.typeCode()).to.equal('/sign-in/local');
      expect(await each.finish()).to.equal('verified');
    }
  });

  it('outlives those before it: they are removed when nothing that they signed can be good', async () => {
    const removed = () => service.logs.filter((line) => line.includes('removed signing secrets')).length;
    await service.services.signingSecrets.rotate();
    service.clock.advance(120 * second + 24 * hour);
    await service.settle();
    expect(removed(), 'an hour is added, for processes that are late').to.equal(0);
    service.clock.advance(2 * hour);
    await service.settle();
    await service.eventually(async () => {
      expect(removed()).to.equal(1);
    });
    expect(await service.services.signingSecrets.accepted()).to.have.length(1);
    expect(await (await begin()).isOpen()).to.equal(true);
  });

  it('taken at once makes void what older ones have signed, and tokens stay good', async () => {
    const owner = await service.newOwner();
    const before = await begin();
    await service.services.signingSecrets.rotate({ atOnce: true });
    service.clock.advance(30 * second);
    expect(await before.isOpen()).to.equal(false);
    expect(await before.typeCode()).to.equal('/sign-in');
    expect(await (await begin()).isOpen()).to.equal(true);
    expect((await owner.get('/api/me')).status).to.equal(200);
  });
});
