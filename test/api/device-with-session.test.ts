import { expect } from 'chai';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { createPerson, expectRefusal, type Shown } from '../support/person.ts';
import { useService } from '../support/service.ts';

describe('Approving a device with a session', () => {
  const service = useService({ SIGN_IN_STARTS_PER_MINUTE: '1000' });
  const start = async () =>
    (await service.request('POST', '/api/auth/start', { body: { label: 'CLI' } })).body;
  const poll = async (token: string) => (await service.get(`/api/auth/poll?token=${token}`)).body;

  /** From the address that the device shows to the question, with one press. */
  async function reach(person: Dashboard, code: string, path = `/sign-in?code=${code}`): Promise<Shown> {
    return person.submit(await person.open(path), {}, { action: '/sign-in' });
  }

  it('asks for nothing but the approval, and the token is of the account of the session', async () => {
    const person = await openDashboard(service);
    const { code, poll_token } = await start();
    const request = await reach(person, code);
    expect(request.path).to.equal('/sign-in/approve');
    for (const part of [code, 'CLI', '127.0.0.1', `signed in as ${person.owner.name}`, 'Not you?'])
      expect(request.text).to.include(part);
    expect((await poll(poll_token)).status).to.equal('pending');
    const done = await person.submit(request, { decision: 'approve' });
    expect(done.path).to.equal('/sign-in/done');
    const { status, user_id } = await poll(poll_token);
    expect([status, user_id]).to.deep.equal(['verified', person.owner.userId]);
  });

  it('a wrong code is refused and counted as without a session', async () => {
    const person = await openDashboard(service);
    for (let n = 0; n < service.config.CODE_TRIES; n++)
      expectRefusal(await reach(person, 'BCDF-GHJK'), 404, 'not_found');
    expectRefusal(await reach(person, (await start()).code), 429, 'rate_limited');
    service.clock.advance(600_000);
  });

  it('"Not you?" leads to a sign-in with another account', async () => {
    const person = await openDashboard(service);
    const other = await service.newOwner();
    const { code, poll_token } = await start();
    const link = (await reach(person, code)).page.all('a').find(({ text }) => text === 'Not you?');
    const local = await reach(person, code, link?.attributes.href);
    expect(local.path).to.equal('/sign-in/local');
    const fields = { name: other.name, key: String(service.services.signInKey) };
    const request = await person.submit(local, fields);
    expect(request.text).to.include(`signed in as ${other.name}`);
    await person.submit(request, { decision: 'approve' });
    expect((await poll(poll_token)).user_id).to.equal(other.userId);
    expect((await person.get('/account')).status, 'the session stays').to.equal(200);
  });

  for (const [what, end] of [
    ['ends', async (person: Dashboard) => void (await person.post('/sign-out', {}))],
    [
      'is replaced by one of another account',
      async (person: Dashboard) => {
        const sealed = person.cookie.split('; ').slice(1);
        person.cookie = [(await openDashboard(service)).cookie, ...sealed].join('; ');
      },
    ],
    [
      'gets suspended',
      async ({ owner }: Dashboard) => {
        const account = await service.accountOf(owner);
        await service.services.moderation.suspend(account, { by: 'root', reason: null });
      },
    ],
  ] as const)
    it(`nothing is approved if the session ${what} before the press`, async () => {
      const person = await openDashboard(service);
      const { code, poll_token } = await start();
      const request = await reach(person, code);
      await end(person);
      for (const decision of ['approve', 'deny'])
        expectRefusal(await person.submit(request, { decision }), 403, 'forbidden');
      expectRefusal(await person.open('/sign-in/approve'), 400, 'invalid_arg');
      expect((await poll(poll_token)).status).to.equal('pending');
    });

  it('a suspended account signs in, as without a session', async () => {
    const person = await openDashboard(service);
    const account = await service.accountOf(person.owner);
    await service.services.moderation.suspend(account, { by: 'root', reason: null });
    expect((await reach(person, (await start()).code)).path).to.equal('/sign-in/local');
  });

  it('a form of another origin, or without the form token of this approval, approves nothing', async () => {
    const person = await openDashboard(service);
    const { code, poll_token } = await start();
    const request = await reach(person, code);
    const foreign = { headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } };
    expectRefusal(await person.submit(request, { decision: 'approve' }, foreign), 403, 'forbidden');
    for (const token of ['', person.formToken])
      expectRefusal(await person.submit(request, { decision: 'approve', token }), 403, 'forbidden');
    const typed = await person.post('/sign-in', { code }, foreign);
    expect(typed.status).to.equal(403);
    expect((await poll(poll_token)).status).to.equal('pending');
  });
});

describe('A name that no account has, with the sign-in key', () => {
  const service = useService({ SIGN_IN_STARTS_PER_MINUTE: '1000' });
  const key = () => String(service.services.signInKey);
  const hasAccount = (name: string) =>
    service.services.signIns.hasAccount({ provider: 'local', subject: name, name });

  async function ask(name: string, fields: Record<string, string> = {}) {
    const person = createPerson(service);
    const form = await person.open('/sign-in/browser?next=/account');
    return { person, form, asked: await person.submit(form, { name, key: key(), ...fields }) };
  }

  it('is asked about, and the account is made by the answer; then it signs in at once', async () => {
    const { person, asked } = await ask(' Ada ');
    expect(asked.status).to.equal(200);
    expect(asked.text).to.include('There is no account with this name yet. Create it?').and.include('ada');
    expect(asked.answer.text).to.not.include(key());
    expect([await hasAccount('ada'), person.cookie]).to.deep.equal([false, '']);
    const other = await person.submit(asked, { answer: 'other' });
    expect(other.page.find('input', { name: 'name' })?.attributes.value).to.equal('ada');
    expect(await hasAccount('ada')).to.equal(false);
    expect((await person.submit(asked, { answer: 'create' })).path).to.equal('/account');
    expect(await hasAccount('ada')).to.equal(true);
    expect((await ask('ADA')).asked.path).to.equal('/account');
  });

  it('is told nobody who has a wrong key', async () => {
    await service.newOwner('known');
    const texts = [];
    for (const name of ['known', 'unknown']) {
      const { asked } = await ask(name, { key: 'wrong' });
      expectRefusal(asked, 403, 'forbidden');
      texts.push(asked.answer.text.replaceAll(name, 'NAME'));
    }
    expect(texts[0]).to.equal(texts[1]);
  });

  it('the answer is for this name alone, for 10 minutes', async () => {
    const { person, asked } = await ask('grace');
    expectRefusal(await person.submit(asked, { name: 'eve' }), 403, 'forbidden');
    service.clock.advance(600_000);
    expectRefusal(await person.submit(asked, {}), 403, 'forbidden');
    expect([await hasAccount('grace'), await hasAccount('eve')]).to.deep.equal([false, false]);
  });

  const value = ({ page }: Shown, name: string) => page.find('input', { name })?.attributes.value;

  it('is derived from what was typed, shown, and the same account when it is typed again', async () => {
    const { person, asked } = await ask(' María  López ');
    expect(asked.text)
      .to.include('The new account is called maria-lopez')
      .and.include('You wrote María López');
    expect(value(asked, 'name')).to.equal('maria-lopez');
    expect((await person.submit(asked, { answer: 'create' })).path).to.equal('/account');
    expect(await hasAccount('maria-lopez')).to.equal(true);
    for (const name of ['Maria Lopez', 'maria-lopez'])
      expect((await ask(name)).asked.path).to.equal('/account');
  });

  it('that cannot be derived is asked for, without the key, which stands in no page', async () => {
    const { person, asked } = await ask('李明');
    expectRefusal(asked, 400, 'invalid_arg');
    expect(asked.page.find('h1')?.text).to.equal('Choose a name');
    expect([value(asked, 'name'), value(asked, 'key'), value(asked, 'next')]).to.deep.equal([
      '李明',
      undefined,
      '/account',
    ]);
    expectRefusal(await person.submit(asked, { name: '明' }), 400, 'invalid_arg');
    const again = await person.submit(asked, { name: 'Li Ming' });
    expect(again.text).to.include('The new account is called li-ming');
    for (const shown of [asked, again]) expect(shown.answer.text).to.not.include(key());
    expect((await person.submit(again, { answer: 'create' })).path).to.equal('/account');
  });

  it('Other name: a name is asked for, and no key; an account that is there is signed in to', async () => {
    await service.newOwner('there');
    const { person, asked } = await ask('not-there');
    const other = await person.submit(asked, { answer: 'other' });
    expect([other.status, value(other, 'name'), value(other, 'key')]).to.deep.equal([
      200,
      'not-there',
      undefined,
    ]);
    expect((await person.submit(other, { name: 'there' })).path).to.equal('/account');
    expect(await hasAccount('not-there')).to.equal(false);
  });

  it('Other name, after the account was made in another tab: each name is an account of its own', async () => {
    const { person, asked } = await ask('first-name');
    expect((await person.submit(asked, { answer: 'create' })).path).to.equal('/account');
    const unnamed = await person.submit(asked, { answer: 'other' });
    const next = await person.submit(unnamed, { name: 'second-name' });
    expect((await person.submit(next, { answer: 'create' })).path).to.equal('/account');
    expect([await hasAccount('first-name'), await hasAccount('second-name')]).to.deep.equal([true, true]);
  });

  it('a wrong key: nothing is asked, said or kept; the name stays', async () => {
    const { person, asked } = await ask('李明', { key: 'wrong' });
    expectRefusal(asked, 403, 'forbidden');
    expect([value(asked, 'name'), value(asked, 'proof'), value(asked, 'key')]).to.deep.equal([
      '李明',
      undefined,
      undefined,
    ]);
    expectRefusal(await person.submit(asked, { proof: 'x.y.z', name: 'ada2' }), 403, 'forbidden');
    expectRefusal(await person.submit(asked, { key: key() }), 400, 'invalid_arg');
  });

  it('after 10 minutes the key is asked for again, and that counts as no wrong key', async () => {
    const { person, asked } = await ask('late', {});
    const other = await person.submit(asked, { answer: 'other' });
    service.clock.advance(600_000);
    for (let n = 0; n < service.config.CODE_TRIES + 1; n++) {
      const late = await person.submit(other, { name: 'late' });
      expectRefusal(late, 403, 'forbidden');
      expect(late.text).to.include('Enter the sign-in key again');
    }
    const again = await person.submit(await person.submit(other, { name: 'late' }), { key: key() });
    expect(again.text).to.include('Create it?');
  });

  it('taken meanwhile by somebody else: the person is told, and signs in to it only if they say so', async () => {
    const { person, asked } = await ask('taken');
    await service.newOwner('taken');
    const told = await person.submit(asked, { answer: 'create' });
    expect(told.page.find('h1')?.text).to.equal('This name has an account now');
    expect(person.cookie).to.equal('');
    const other = await person.submit(told, { answer: 'other' });
    expect(other.page.find('h1')?.text).to.equal('Choose a name');
    expect((await person.submit(told, {})).path).to.equal('/account');
  });

  it('the answer sent twice, at once or from a second tab, is one account', async () => {
    const { person, asked } = await ask('twice');
    const answers = await Promise.all([1, 2].map(() => person.submit(asked, { answer: 'create' })));
    // The later answer ends the session of the earlier one, whose next page may be on its way: a browser shows the later one.
    expect(answers.map(({ path }) => path)).to.include('/account');
    expect((await person.open('/account')).path).to.equal('/account');
    expect(await service.services.engine.accounts.findByName('twice')).to.have.length(1);
    const { person: second, asked: other } = await ask('Two Tabs');
    const tab = await second.submit(await second.open('/sign-in/browser'), { name: 'two.tabs', key: key() });
    expect((await second.submit(other, { answer: 'create' })).path).to.equal('/account');
    expect((await second.submit(tab, { answer: 'create' })).path).to.equal('/drops');
    expect([await hasAccount('two-tabs'), await hasAccount('two.tabs')]).to.deep.equal([true, true]);
  });

  it('of an account that was deleted since: the same answer makes a new one', async () => {
    const { person, asked } = await ask('gone');
    await person.submit(asked, { answer: 'create' });
    const account = await service.services.engine.accounts.findByIdentity({
      provider: 'local',
      subject: 'gone',
    });
    await service.services.accounts.remove({ accountId: account?.id ?? '' });
    expect(await hasAccount('gone')).to.equal(false);
    expect((await person.submit(asked, { answer: 'create' })).path).to.equal('/account');
  });

  it('is asked about for a device, too', async () => {
    const { code } = (await service.request('POST', '/api/auth/start')).body;
    const person = createPerson(service);
    const local = await person.submit(await person.open(`/sign-in?code=${code}`), {});
    const unnamed = await person.submit(local, { name: 'ヘディ', key: key() });
    expect(unnamed.page.find('h1')?.text).to.equal('Choose a name');
    const asked = await person.submit(unnamed, { name: 'Hedy Lamarr' });
    expect(asked.text).to.include('There is no account with this name yet').and.include('hedy-lamarr');
    expect(await hasAccount('hedy-lamarr')).to.equal(false);
    expect((await person.submit(asked, {})).path).to.equal('/sign-in/approve');
  });
});
