import { expect } from 'chai';
import { createPerson } from '../support/person.ts';
import { useService } from '../support/service.ts';

describe('The signing secret', () => {
  const service = useService({ SIGN_IN_STARTS_PER_MINUTE: '1000' });

  /** A viewer who entered a passcode, and a person halfway through a sign-in. */
  async function begin() {
    await service.newOwner('ada');
    const { slug } = await service.newDrop({ passcode: 'open sesame' });
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
      /** In another browser, without cookies. */
      typeCode: async () => {
        const other = createPerson(service);
        return (await other.submit(await other.open('/sign-in'), { code })).path;
      },
    };
  }

  it('may be replaced without signing anybody out: the old one is accepted', async () => {
    const old = 'o'.repeat(32);
    const next = 'n'.repeat(32);
    await service.restart({ SIGNING_SECRET: old });
    const before = await begin();
    await service.restart({ SIGNING_SECRET: next, SIGNING_SECRETS_ACCEPTED: `other-${old}, ${old}` });
    for (const each of [before, await begin()]) {
      expect(await each.isOpen()).to.equal(true);
      expect(await each.typeCode()).to.equal('/sign-in/local');
      expect(await each.finish()).to.equal('verified');
    }
  });

  it('that is not accepted any more: cookies and grants that it signed are invalid, and tokens stay valid', async () => {
    const owner = await service.newOwner();
    const before = await begin();
    await service.restart({ SIGNING_SECRET: 'x'.repeat(32) });
    expect(await before.isOpen()).to.equal(false);
    expect(await before.typeCode()).to.equal('/sign-in');
    expect((await owner.get('/api/me')).status).to.equal(200);
  });

  it('that is kept with the data is the same after a restart', async () => {
    await service.restart();
    const before = await begin();
    await service.restart();
    expect(await before.isOpen()).to.equal(true);
  });
});
