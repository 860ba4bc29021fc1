import { expect } from 'chai';
import { openDashboard } from '../support/dashboard.ts';
import { createPerson, expectRefusal, type Person } from '../support/person.ts';
import { useService } from '../support/service.ts';

const day = 24 * 60 * 60_000;

describe('Sign-in to the dashboard', () => {
  const service = useService();
  const key = () => String(service.services.signInKey);
  before(() => service.newOwner('ada'));

  /** Signs in with the key, and follows nothing. */
  async function signIn(person: Person, fields: Record<string, string> = {}) {
    return person.post('/sign-in/browser', { name: 'ada', key: key(), ...fields });
  }

  it('with the sign-in key starts a session, in a cookie that scripts cannot read', async () => {
    const person = createPerson(service);
    const form = await person.open('/sign-in/browser?next=/account');
    expect(form.page.find('input', { name: 'next' })?.attributes.value).to.equal('/account');
    const answer = await signIn(person, { next: '/account' });
    expect([answer.status, answer.headers.location]).to.deep.equal([303, '/account']);
    expect(answer.cookies).to.have.length(1);
    expect(answer.cookies[0]).to.match(
      /^dropleaf_session=[0-9A-Za-z]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(answer.headers['cache-control']).to.equal('no-store');
    for (const path of ['/', '/sign-in/browser']) {
      const { status, headers } = await person.get(path);
      expect([status, headers.location, headers['cache-control']], path).to.deep.equal([
        303,
        '/drops',
        'no-store',
      ]);
    }
  });

  it('shows the form again for a wrong name or key, and counts wrong keys as the sign-in of a device does', async () => {
    const person = createPerson(service);
    const form = await person.open('/sign-in/browser?next=/account');
    expectRefusal(await person.submit(form, { name: '?', key: key() }), 400, 'invalid_arg');
    const again = await person.submit(form, { name: 'ada', key: 'wrong' });
    expectRefusal(again, 403, 'forbidden');
    for (const [name, value] of [
      ['name', 'ada'],
      ['next', '/account'],
    ] as const) {
      expect(again.page.find('input', { name })?.attributes.value).to.equal(value);
    }
    for (let n = 1; n < service.config.CODE_TRIES; n++) await signIn(person, { key: 'wrong' });
    expectRefusal(await person.submit(form, { name: 'ada', key: key() }), 429, 'rate_limited');
    expect(person.cookie).to.equal('');
    service.clock.advance(10 * 60_000);
  });

  it('leads to pages of the dashboard only', async () => {
    const { hostname, port } = new URL(service.url);
    const hostile = [
      '//evil.example/drops',
      '/\\evil.example/drops',
      '/\t/evil.example',
      'https://evil.example/drops',
      `http://${hostname}:${Number(port) + 1}/drops`,
      'javascript:alert(1)',
      '/.//evil.example/drops',
      '/p/abc/raw',
      '/drops/../p/abc',
      '/dropsy',
      '/sign-out',
      '',
      `/drops?${'a'.repeat(500)}`,
    ];
    for (const next of hostile) {
      const { headers } = await signIn(createPerson(service), { next });
      expect(headers.location, next).to.equal('/drops');
      service.clock.advance(60_000);
    }
    for (const next of ['/drops', '/drops?q=a%20b', '/drops/abc/compare?from=1', '/account']) {
      expect((await signIn(createPerson(service), { next })).headers.location).to.equal(next);
    }
  });

  it('starts a new session each time, and ends the one that the browser had', async () => {
    service.clock.advance(10 * 60_000);
    const person = createPerson(service);
    await signIn(person);
    const before = person.cookie;
    await signIn(person);
    expect(person.cookie).to.not.equal(before);
    const old = createPerson(service);
    old.cookie = before;
    expect((await old.get('/')).status).to.equal(200);
    expect((await person.get('/')).status).to.equal(303);
    const planted = createPerson(service); // session fixation
    planted.cookie = `dropleaf_session=${'a'.repeat(43)}`;
    await signIn(planted);
    expect(planted.cookie).to.not.include('aaaa');
  });

  it('lasts for 30 days after its last use', async () => {
    service.clock.advance(10 * 60_000);
    const person = await openDashboard(service);
    const { sessions } = service.services.engine;
    for (let n = 0; n < 3; n++) {
      service.clock.advance(30 * day - 1);
      // The use is recorded beside the request, unless that of an earlier one is.
      await service.eventually(async () => {
        expect((await person.get('/')).status, `after ${n}`).to.equal(303);
        const [session] = await sessions.list(person.owner.userId, 1);
        expect(session?.lastUsedAt).to.equal(service.clock.now());
      });
    }
    service.clock.advance(30 * day);
    expect((await person.get('/')).status).to.equal(200);
    const { status, headers } = await person.get('/drops?q=a');
    expect([status, headers.location]).to.deep.equal([303, '/sign-in/browser?next=%2Fdrops%3Fq%3Da']);
  });

  it('ends with a sign-out', async () => {
    const person = await openDashboard(service);
    const before = person.cookie;
    const out = await person.post('/sign-out', {});
    expect([out.status, out.headers.location, person.cookie]).to.deep.equal([303, '/sign-in/out', '']);
    const shown = await person.open('/sign-in/out');
    expect([shown.status, shown.page.find('h1')?.text]).to.deep.equal([200, 'You are signed out']);
    expect(shown.answer.headers['cache-control']).to.equal('no-store');
    person.cookie = before;
    expect((await person.get('/')).status).to.equal(200);
  });
});

describe('The cookies of a session and of a sign-in on https', () => {
  const BASE_URL = 'https://drops.example';
  const service = useService({ BASE_URL });
  const headers = { origin: BASE_URL };

  it('have the prefix that keeps other hosts and plain http from setting them', async () => {
    await service.newOwner('ada');
    const person = createPerson(service);
    const fields = { name: 'ada', key: String(service.services.signInKey) };
    const { cookies } = await person.post('/sign-in/browser', fields, { headers });
    expect(cookies.join()).to.match(
      /^__Host-dropleaf_session=\w{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const own = person.cookie;
    person.cookie = `__Host-dropleaf_session=${'a'.repeat(43)}; ${own}`;
    expect((await person.get('/')).status, 'beside another of that name').to.equal(303);
    person.cookie = own.replace('__Host-', '');
    expect((await person.get('/')).status, 'without the prefix').to.equal(200);

    const { code, verification_url } = (await service.request('POST', '/api/auth/start')).body;
    expect(verification_url).to.equal(`${BASE_URL}/sign-in?code=${code}`);
    const other = createPerson(service);
    const [line] = (await other.post('/sign-in', { code }, { headers })).cookies;
    expect(line).to.match(
      /^__Host-dropleaf_sign_in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await other.get('/sign-in/local')).status).to.equal(200);
    other.cookie = other.cookie.replace('__Host-', '');
    expect((await other.get('/sign-in/local')).status).to.equal(400);
  });
});
