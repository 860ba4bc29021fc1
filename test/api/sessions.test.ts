import { expect } from 'chai';
import { methodsOf } from '../../shared/util/methods.ts';
import { openDashboard } from '../support/dashboard.ts';
import { createPerson, type Person } from '../support/person.ts';
import { type TestService, useService, useServices } from '../support/service.ts';
import { openConnection, requestHead } from '../support/socket.ts';
import { until } from '../support/until.ts';

describe('Sessions', () => {
  const startOwn = useServices();
  const service = useService();

  const sessionsOf = async (person: Person) => {
    const caller = await callerOf(service, person);
    return caller === null ? null : service.services.sessions.list(caller);
  };

  it('are listed for their account with a short name of the browser, and the time of the last use', async () => {
    const agents = [
      ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
      [
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
        'Edge on Windows',
      ],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
        'Safari on iPhone',
      ],
      ['<b>Windows</b>', 'Browser on Windows'],
      ['', 'Unknown browser'],
    ] as const;
    await service.newOwner('ada');
    let person = createPerson(service);
    for (const [agent] of agents) {
      service.clock.advance(60_000);
      person = createPerson(service);
      const fields = { name: 'ada', key: String(service.services.signInKey) };
      await person.post('/sign-in/browser', fields, { headers: { 'user-agent': agent } });
    }
    const listed = await sessionsOf(person);
    expect(listed?.map(({ browser }) => browser)).to.deep.equal(agents.map(([, name]) => name).reverse());
    service.clock.advance(3 * 60_000);
    const [newest, older] = (await sessionsOf(person)) ?? [];
    const now = service.clock.now();
    expect([newest?.lastUsedAt, older?.lastUsedAt]).to.deep.equal([now, now - 4 * 60_000]);
  });

  it('end one by one or all others, by their own account only; a log line names the session, not its secret', async () => {
    const one = await openDashboard(service);
    const stranger = await openDashboard(service);
    const two = await openDashboard(service, one.owner);
    const three = await openDashboard(service, one.owner);
    const end = async (person: typeof one, what: string) =>
      (await person.post('/account/sessions', { end: what })).headers.location;
    expect(await end(stranger, two.sessionId)).to.equal('/account?notice=session-ended');
    expect(await sessionsOf(two)).to.have.length(3);
    for (let n = 0; n < 2; n++)
      expect(await end(one, two.sessionId)).to.equal('/account?notice=session-ended');
    expect(await sessionsOf(two)).to.equal(null);
    expect(await end(one, 'others')).to.equal('/account?notice=sessions-ended');
    expect(await sessionsOf(three)).to.equal(null);
    expect(await sessionsOf(one)).to.have.length(1);
    expect(await end(one, one.sessionId)).to.equal('/sign-in/out');
    expect(one.cookie).to.equal('');
    expect(await sessionsOf(stranger)).to.have.length(1);
    await service.eventually(async () => {
      expect(service.logs.filter((line) => line.includes(`session: '${one.sessionId}'`))).to.have.length(4);
    });
  });

  it('are at most 100 of an account: a further sign-in ends the one that was not used for longest', async () => {
    const { userId } = await service.newOwner();
    const { sessions, engine } = service.services;
    const signIn = async () => {
      service.clock.advance(1);
      await sessions.start(userId, 'Firefox', 'local');
    };
    const listIds = async () => (await engine.sessions.list(userId, 200)).map(({ id }) => id);
    for (let n = 0; n < 100; n++) await signIn();
    const before = await listIds();
    expect(before).to.have.length(100);
    await signIn();
    const [newest, ...others] = await listIds();
    expect(before).to.not.include(newest);
    expect(others).to.deep.equal(before.slice(0, -1));
  });

  it('are no bearer tokens, and a token is no session', async () => {
    const person = await openDashboard(service);
    const secret = person.cookie.replace('dropleaf_session=', '');
    for (const token of [secret, person.sessionId, `dl_${secret}`]) {
      expect((await service.get('/api/me', { token })).status).to.equal(401);
    }
    for (const path of ['/api/me', '/api/drops', '/api/tokens']) {
      expect((await person.get(path)).status, `${path} by the cookie`).to.equal(401);
    }
    person.cookie = `dropleaf_session=${person.owner.token}`;
    expect((await person.get('/')).status).to.equal(200);
  });

  it('of a suspended account stay, and can be ended; revoke-tokens ends them all', async () => {
    const person = await openDashboard(service);
    const { moderation } = service.services;
    const account = await service.accountOf(person.owner);
    const operator = { by: 'root', reason: null };
    await moderation.suspend(account, operator);
    await openDashboard(service, person.owner);
    expect((await person.post('/account/sessions', { end: 'others' })).status).to.equal(303);
    const again = await openDashboard(service, person.owner);
    const done = await moderation.revokeTokens(account, operator);
    expect(done).to.deep.equal({ tokens: 1, sessions: 2, signIns: 0 });
    for (const ended of [person, again]) expect(await sessionsOf(ended)).to.equal(null);
  });

  for (const beside of ['alone', 'beside the cookie of another session'])
    it(`that end while a form arrives change nothing: ${beside}`, async () => {
      let reads = 0;
      const watched = await startOwn({
        adaptEngine: (engine) => {
          const findByHash = (hash: string) => engine.sessions.findByHash(hash).finally(() => (reads += 1));
          return { ...engine, sessions: { ...methodsOf(engine.sessions), findByHash } };
        },
      });
      const connection = await openConnection(watched.url);
      const person = await openDashboard(watched);
      const kept = await openDashboard(watched, person.owner);
      const body = new URLSearchParams({ form_token: person.formToken, end: 'others' }).toString();
      reads = 0;
      const headers = {
        cookie: beside === 'alone' ? person.cookie : `${person.cookie}; ${kept.cookie}`,
        origin: watched.url,
        'content-length': String(body.length),
        'content-type': 'application/x-www-form-urlencoded',
      };
      await connection.send(requestHead('POST', '/account/sessions', headers));
      await until(() => reads > 0, 'the session is known');
      const caller = (await callerOf(watched, person)) ?? expect.fail();
      await watched.services.sessions.revoke(caller, person.sessionId);
      await connection.send(body);
      expect((await connection.answer()).status).to.equal(401);
      expect(await callerOf(watched, kept)).to.not.equal(null);
      connection.close();
    });
});

async function callerOf({ services }: TestService, { cookie }: Person) {
  return (await services.sessions.identify(cookie.replace('dropleaf_session=', '')))?.caller ?? null;
}
