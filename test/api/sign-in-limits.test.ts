import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import type { Answer } from '../support/client.ts';
import { createGate } from '../support/gate.ts';
import { createPerson, expectRefusal, type Person } from '../support/person.ts';
import { type TestService, useServiceOfEach, useServices } from '../support/service.ts';

const start = async (service: TestService) => (await service.request('POST', '/api/auth/start')).body;
const address = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` });
const statusesOf = async (answers: readonly Promise<Answer>[]) =>
  (await Promise.all(answers)).map(({ status }) => status);

describe('Limits of wrong sign-in codes and keys', () => {
  const startOwn = useServices();
  const service = useServiceOfEach({ TRUST_PROXY: '1', SIGN_IN_STARTS_PER_MINUTE: '1000' });
  const key = () => String(service.services.signInKey);
  const names = ['ada', 'grace', ...Array.from({ length: 40 }, (_, n) => `person-${n}`)];
  beforeEach(() => Promise.all(names.map((name) => service.newOwner(name))));

  /** Somebody who has entered a code, from an address of their own. */
  async function withCode(): Promise<Person> {
    const person = createPerson(service);
    await person.post('/sign-in', { code: (await start(service)).code }, { headers: address(99) });
    return person;
  }

  const tryCode = (person: Person, code: string, n = 1) =>
    person.post('/sign-in', { code }, { headers: address(n) });
  const tryKey = (person: Person, value: string, n = 1, name = 'ada') =>
    person.post('/sign-in/local', { name, key: value }, { headers: address(n) });

  const secrets = [
    {
      what: 'codes',
      refused: 404,
      someone: async () => createPerson(service),
      right: async () => (await start(service)).code,
      attempt: (person: Person, code: string, n?: number) => tryCode(person, code, n),
      wrong: 'BCDF-GHJK',
    },
    {
      what: 'keys',
      refused: 403,
      someone: withCode,
      right: async () => key(),
      attempt: (person: Person, value: string, n?: number, name?: string) => tryKey(person, value, n, name),
      wrong: 'wrong',
    },
  ];
  for (const { what, refused, someone, right, attempt, wrong } of secrets) {
    it(`429 rate_limited after 10 wrong ${what} from one address in 10 minutes, the right one included`, async () => {
      const person = await someone();
      const value = await right();
      for (let i = 0; i < 10; i++) expect((await attempt(person, wrong)).status).to.equal(refused);
      expect((await attempt(person, value)).status).to.equal(429);
      expect((await attempt(person, value, 2)).status).to.equal(303);
      service.clock.advance(600_000);
      expect((await attempt(await someone(), wrong)).status).to.equal(refused);
    });

    it(`30 parallel right ${what} from one address are accepted beside 9 wrong ones; of 40 wrong ones 10 are checked`, async () => {
      const tryAll = async (count: number, value: string) => {
        const people = await Promise.all(Array.from({ length: count }, someone));
        return statusesOf(people.map((person, n) => attempt(person, value, 1, `person-${n}`)));
      };
      const person = await someone();
      for (let n = 0; n < 9; n++) expect((await attempt(person, wrong)).status).to.equal(refused);
      expect(await tryAll(30, await right())).to.deep.equal(Array(30).fill(303));
      service.clock.advance(600_000);
      expect((await tryAll(40, wrong)).sort()).to.deep.equal([
        ...Array(10).fill(refused),
        ...Array(30).fill(429),
      ]);
    });
  }

  it('the page says when to try again', async () => {
    const person = createPerson(service);
    for (let i = 0; i < 10; i++) await tryCode(person, 'BCDF-GHJK');
    const { code } = await start(service);
    const shown = await person.submit(await person.open('/sign-in'), { code }, { headers: address(1) });
    const details = expectRefusal(shown, 429, 'rate_limited');
    expect(shown.answer.headers['retry-after']).to.equal(String(details.retry_after_seconds));
    expect(shown.text).to.match(/Too many wrong attempts\. Try again in \d+ (minutes|seconds)/);
  });

  it('valid codes, and texts that are not codes, do not count', async () => {
    const { code } = await start(service);
    const person = createPerson(service);
    for (let i = 0; i < 15; i++) {
      expect((await tryCode(person, code)).status).to.equal(303);
      expect((await tryCode(person, 'BCD')).status).to.equal(400);
    }
    expect((await tryCode(person, 'BCDF-GHJK')).status).to.equal(404);
  });

  it('codes that could not be looked up do not count', async () => {
    const gate = createGate();
    const failing = await startOwn({
      env: { CODE_TRIES: '2' },
      adaptEngine: (engine) => ({ ...engine, signIns: gate.wrap(engine.signIns, ['findByCode']) }),
    });
    const person = createPerson(failing);
    const { code } = await start(failing);
    gate.refuse(unavailable('The database is down.', 3));
    for (let i = 0; i < 5; i++) expect((await person.post('/sign-in', { code })).status).to.equal(503);
    gate.open();
    expect((await person.post('/sign-in', { code })).status).to.equal(303);
  });

  it('429 rate_limited after 20 codes that one account reviews in 10 minutes, from any addresses', async () => {
    async function decide(name: string, n: number) {
      const person = createPerson(service);
      const headers = address(n);
      const { code } = await start(service);
      const local = await person.submit(await person.open(`/sign-in?code=${code}`), {}, { headers });
      return person.submit(local, { name, key: key() }, { headers });
    }
    for (let n = 0; n < 20; n++) expect((await decide('ada', n)).path).to.equal('/sign-in/approve');
    const refused = await decide('ada', 30);
    expectRefusal(refused, 429, 'rate_limited');
    expect(refused.text).to.match(/At most 20 sign-ins.*Try again in \d+ (minutes|seconds)/);
    expect((await decide('grace', 31)).path).to.equal('/sign-in/approve');
    service.clock.advance(600_000);
    expect((await decide('ada', 32)).path).to.equal('/sign-in/approve');
  });
});

describe('LOCAL_ACCOUNTS_MAX', () => {
  const service = useServiceOfEach({ LOCAL_ACCOUNTS_MAX: '2' });

  async function signIn(name: string) {
    const person = createPerson(service);
    const local = await person.open('/sign-in/browser');
    const asked = await person.submit(local, { name, key: String(service.services.signInKey) });
    return asked.page.find('button', { value: 'create' }) === undefined
      ? asked
      : person.submit(asked, { answer: 'create' });
  }

  it('429 quota_exceeded for a name that would be one more; accounts that are there sign in', async () => {
    for (const name of ['ada', 'grace', 'ada']) expect((await signIn(name)).path).to.equal('/drops');
    const refused = await signIn('linus');
    expectRefusal(refused, 429, 'quota_exceeded');
    expect(refused.text).to.include('maximum of 2 accounts');
    expect((await signIn('grace')).path).to.equal('/drops');
  });

  it('deleted accounts count until their UTC day is over', async () => {
    const owner = await service.newOwner('ada');
    await service.newOwner('grace');
    await owner.request('DELETE', `/api/me?confirm=${owner.userId}`);
    expectRefusal(await signIn('linus'), 429, 'quota_exceeded');
    service.clock.advance(24 * 3_600_000);
    await service.services.jobs.enqueue('store.reconcile', {});
    await service.settle();
    expect((await signIn('linus')).path).to.equal('/drops');
  });
});
