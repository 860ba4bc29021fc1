import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { createPerson, expectRefusal, type Person, type Shown } from '../support/person.ts';
import { startService, type TestService, useService } from '../support/service.ts';

const agent = 'a-client/1.0 (a machine)';

async function start(service: TestService, body: object = {}) {
  const headers = { 'user-agent': agent };
  return (await service.request('POST', '/api/auth/start', { body, headers })).body;
}

async function statusOf(service: TestService, pollToken: string): Promise<string> {
  return (await service.get(`/api/auth/poll?token=${pollToken}`)).body.status;
}

function keyOf(service: TestService): string {
  return service.services.signInKey ?? '';
}

/** From the code to the approval page. */
async function reachRequest(
  service: TestService,
  person: Person,
  code: string,
  name = 'ada',
): Promise<Shown> {
  const local = await person.submit(await person.open(`/sign-in?code=${code}`), {});
  const request = await person.submit(local, { name, key: keyOf(service) });
  expect(request.path, request.text).to.equal('/sign-in/approve');
  expect(request.status).to.equal(200);
  return request;
}

describe('sign-in pages', () => {
  const service = useService({
    SIGN_IN_STARTS_PER_MINUTE: '1000',
    SIGN_INS_PER_ACCOUNT: '1000',
    CODE_TRIES: '1000',
  });
  let person: Person;
  beforeEach(() => {
    person = createPerson(service);
  });

  describe('with the sign-in key', () => {
    it('the user enters code, name and key and approves: the client gets its token', async () => {
      const { code, poll_token, verification_url } = await start(service, { label: "Ada's laptop" });
      const { pathname, search } = new URL(verification_url);
      const first = await person.open(pathname + search);
      expect(first.page.title).to.equal('Confirm the code · Dropleaf');
      expect(first.page.find('input', { name: 'code' })?.attributes.value).to.equal(code);
      const local = await person.submit(first, {});
      expect(local.path).to.equal('/sign-in/local');
      service.clock.advance(125_000);
      const request = await person.submit(local, { name: ' Ada ', key: ` ${keyOf(service)}\n` });
      expect(request.path).to.equal('/sign-in/approve');
      for (const part of [
        code,
        "Ada's laptop",
        '127.0.0.1',
        agent,
        '2 minutes ago',
        'signed in as ada',
        'Approve only if you started this sign-in',
      ]) {
        expect(request.text).to.include(part);
      }
      const asked = request.page.find('time')?.attributes.datetime ?? '';
      expect(new Date(asked).getTime()).to.equal(service.clock.now() - 125_000);
      expect(await statusOf(service, poll_token)).to.equal('pending');
      const done = await person.submit(request, { decision: 'approve' });
      expect(done.path).to.equal('/sign-in/done');
      expect(done.text).to.include('Approved').and.include('Return to your device');
      const { body } = await service.get(`/api/auth/poll?token=${poll_token}`);
      expect(body.status).to.equal('verified');
      const me = await service.get('/api/me', { token: body.api_token });
      expect(me.body.token?.label).to.equal("Ada's laptop");
    });

    it('deny: the client gets no token', async () => {
      const { code, poll_token } = await start(service);
      const done = await person.submit(await reachRequest(service, person, code), { decision: 'deny' });
      expect(done.text).to.include('Denied').and.include('did not get access');
      expect(await statusOf(service, poll_token)).to.equal('expired');
    });

    it('the same name is the same account, another name another account', async () => {
      const users = [];
      for (const name of ['ada', 'ADA', 'grace']) {
        const { code, poll_token } = await start(service);
        const someone = createPerson(service);
        await someone.submit(await reachRequest(service, someone, code, name), { decision: 'approve' });
        users.push((await service.get(`/api/auth/poll?token=${poll_token}`)).body.user_id);
      }
      expect(users[0]).to.equal(users[1]);
      expect(users[2]).to.not.equal(users[0]);
    });

    it('the code may be typed in lower case and without its dash', async () => {
      const { code } = await start(service);
      const typed = ` ${code.toLowerCase().replace('-', ' ')} `;
      const local = await person.submit(await person.open('/sign-in'), { code: typed });
      expect(local.path).to.equal('/sign-in/local');
      expect(local.status).to.equal(200);
    });

    it('approve twice is one approval, and both requests succeed', async () => {
      const { code, poll_token } = await start(service);
      const request = await reachRequest(service, person, code);
      const fields = {
        decision: 'approve',
        token: request.page.find('input', { name: 'token' })?.attributes.value ?? '',
      };
      const answers = await Promise.all([
        person.post('/sign-in/approve', fields),
        person.post('/sign-in/approve', fields),
      ]);
      for (const { status, headers } of answers) {
        expect([status, headers.location]).to.deep.equal([303, '/sign-in/done']);
      }
      expect(await statusOf(service, poll_token)).to.equal('verified');
    });
  });

  describe('every page', () => {
    it('runs no script, cannot be framed, is not stored, and posts to our own pages only', async () => {
      const { code } = await start(service);
      const first = await person.open(`/sign-in?code=${code}`);
      const local = await person.submit(first, {});
      const request = await person.submit(local, { name: 'ada', key: keyOf(service) });
      const done = await person.submit(request, { decision: 'approve' });
      const lost = await createPerson(service).open('/sign-in/approve');
      for (const { path, answer, page } of [first, local, request, done, lost]) {
        expect(answer.headers['content-type'], path).to.equal('text/html; charset=utf-8');
        expect(answer.headers['cache-control'], path).to.equal(
          answer === lost.answer ? 'private, no-store' : 'no-store',
        );
        expect(answer.headers['referrer-policy'], path).to.equal('same-origin');
        expect(answer.headers['x-content-type-options'], path).to.equal('nosniff');
        const policy = answer.headers['content-security-policy'] ?? '';
        expect(policy, path).to.match(
          /^default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; style-src http:\/\/127\.0\.0\.1:\d+\/assets\/; img-src 'self' data: \S+\/assets\/; manifest-src \S+\/manifest\.webmanifest$/,
        );
        expect(
          page.all('script').filter(({ attributes }) => attributes.type !== 'application/json'),
        ).to.deep.equal([]);
        expect(page.all('h1'), path).to.have.length(1);
        expect(page.all('main'), path).to.have.length(1);
        expect(answer.text, path).to.not.match(/\son\w+=|style="/);
        for (const { attributes } of page.all('input')) {
          if (attributes.type === 'hidden') continue;
          expect(page.find('label', { for: attributes.id ?? '' }), `${path} ${attributes.name}`).to.not.equal(
            undefined,
          );
        }
      }
    });
  });

  describe('the code', () => {
    it('is asked for if the address has none', async () => {
      const { page, status } = await person.open('/sign-in');
      expect(status).to.equal(200);
      expect(page.title).to.equal('Enter the code · Dropleaf');
      expect(page.find('input', { name: 'code' })?.attributes.value).to.equal('');
    });

    it('in the address is ignored if it is not a code', async () => {
      const hostile = encodeURIComponent('"><script>alert(1)</script>');
      for (const path of [`/sign-in?code=${hostile}`, '/sign-in?code=a&code=b', '/sign-in?code=%00']) {
        const { page, status } = await person.open(path);
        expect(status, path).to.equal(200);
        expect(page.all('script'), path).to.deep.equal([]);
        expect(page.find('input', { name: 'code' })?.attributes.value, path).to.equal('');
      }
    });

    it('in the address: the page does not reveal whether the code exists', async () => {
      const { code } = await start(service);
      const real = (await person.get(`/sign-in?code=${code}`)).text.replaceAll(code, '');
      const made = (await person.get('/sign-in?code=GHJK-BCDF')).text.replaceAll('GHJK-BCDF', '');
      expect(real).to.equal(made);
    });

    it('400 with the form again if it is not a code', async () => {
      for (const code of ['', 'BCDF', 'BCDF-GHJ!', 'AEIO-UAEI', '\0'.repeat(8), '<b>'.repeat(100)]) {
        const shown = await person.submit(await person.open('/sign-in'), { code });
        expect(expectRefusal(shown, 400, 'invalid_arg').field).to.equal('code');
        expect(shown.text).to.include('8 letters');
        expect(shown.page.find('input', { name: 'code' })?.attributes['aria-invalid']).to.equal('true');
        expect(person.cookie).to.equal('');
      }
    });

    it('404 if it is unknown, used, denied or expired', async () => {
      const approved = await start(service);
      await person.submit(await reachRequest(service, person, approved.code), { decision: 'approve' });
      const denied = await start(service);
      await person.submit(await reachRequest(service, person, denied.code), { decision: 'deny' });
      const late = await start(service);
      service.clock.advance(600_000);
      for (const code of ['BCDF-GHJK', approved.code, denied.code, late.code]) {
        const shown = await person.submit(await person.open('/sign-in'), { code });
        expectRefusal(shown, 404, 'not_found');
        expect(shown.text).to.include('This code is not valid');
        expect(shown.page.find('input', { name: 'code' })?.attributes.value).to.equal(code);
      }
    });

    it('404 for a program: the envelope alone', async () => {
      const answer = await service.request('POST', '/sign-in', {
        raw: 'code=BCDF-GHJK',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: service.url },
      });
      expectError(answer, 404, 'not_found');
    });

    it('a body that is not a form, too large, compressed, or repeats a field is refused', async () => {
      const send = (raw: string, headers: Record<string, string>) =>
        service.request('POST', '/sign-in', { raw, headers: { origin: service.url, ...headers } });
      const form = 'application/x-www-form-urlencoded';
      expectError(await send('{"code":"BCDF-GHJK"}', {}), 400, 'invalid_arg');
      expectError(await send(`code=${'x'.repeat(20_000)}`, { 'content-type': form }), 413, 'invalid_arg');
      expectError(
        await send('code=x', { 'content-type': form, 'content-encoding': 'gzip' }),
        415,
        'invalid_arg',
      );
      expectError(await send('code=BCDF-GHJK&code=BCDF-GHJL', { 'content-type': form }), 400, 'invalid_arg');
      expectError(await send('__proto__=x&code=', { 'content-type': form }), 400, 'invalid_arg');
    });
  });

  describe('name and key', () => {
    async function reachLocal(): Promise<Shown> {
      const { code } = await start(service);
      return person.submit(await person.open(`/sign-in?code=${code}`), {});
    }

    it('403 for a wrong key, with the form and the name again', async () => {
      const local = await reachLocal();
      const key = keyOf(service);
      for (const wrong of ['', 'x', key.slice(1), `${key}x`, key.toUpperCase()]) {
        const shown = await person.submit(local, { name: 'ada', key: wrong });
        expectRefusal(shown, 403, 'forbidden');
        expect(shown.text).to.include('The sign-in key is wrong');
        expect(shown.page.find('input', { name: 'name' })?.attributes.value).to.equal('ada');
        expect(shown.page.find('input', { name: 'key' })?.attributes.value).to.equal(undefined);
      }
      expect((await person.submit(local, { name: 'ada', key })).path).to.equal('/sign-in/approve');
    });

    it('400 for an invalid name', async () => {
      const local = await reachLocal();
      for (const name of ['', '.ada', 'a b', '<b>', 'x'.repeat(40)]) {
        const shown = await person.submit(local, { name, key: keyOf(service) });
        expect(expectRefusal(shown, 400, 'invalid_arg').field, name).to.equal('name');
      }
    });

    it('400 without a code', async () => {
      const shown = await person.open('/sign-in/local');
      expectRefusal(shown, 400, 'invalid_arg');
      expect(shown.text).to.include('No sign-in in progress');
      const answer = await person.post('/sign-in/local', { name: 'ada', key: keyOf(service) });
      expect(answer.status).to.equal(400);
      expect(answer.cookies).to.deep.equal([]);
    });

    it('404 for the callback of an identity provider that is not configured', async () => {
      expectError(await service.get('/sign-in/github/callback?code=x&state=y'), 404, 'not_found');
    });
  });

  describe('the approval page', () => {
    it('shows invisible characters of the label, and no markup', async () => {
      const label = '<img src=x onerror=alert(1)>\u202e\u2066\n\u200bok';
      const { code } = await start(service, { label });
      const { page, text } = await reachRequest(service, person, code);
      expect(page.all('img')).to.deep.equal([]);
      expect(text).to.include('<img src=x onerror=alert(1)>U+202EU+2066U+000AU+200Bok');
    });

    it('says if label and user agent are missing, and shows at most 300 characters of the user agent', async () => {
      for (const [agent, shown, hidden] of [
        ['', 'not given', 'null'],
        ['x'.repeat(5_000), 'x'.repeat(300), 'x'.repeat(301)],
      ] as const) {
        const started = await service.request('POST', '/api/auth/start', {
          headers: { 'user-agent': agent },
        });
        const { text } = await reachRequest(service, person, started.body.code);
        expect(text).to.include(shown).and.not.include(hidden);
      }
    });

    it('400 without a sign-in in progress; 403 for a POST', async () => {
      const shown = await person.open('/sign-in/approve');
      expectRefusal(shown, 400, 'invalid_arg');
      expectRefusal(await person.open('/sign-in/done'), 400, 'invalid_arg');
      expect(shown.page.find('a', { class: 'button' })?.attributes.href).to.equal('/sign-in');
      const answer = await person.post('/sign-in/approve', { decision: 'approve', token: 'x' });
      expect(answer.status).to.equal(403);
    });

    it('404 if it was decided in another browser meanwhile', async () => {
      const { code, poll_token } = await start(service);
      const request = await reachRequest(service, person, code);
      const other = createPerson(service);
      await other.submit(await reachRequest(service, other, code, 'eve'), { decision: 'deny' });
      expectRefusal(await person.open('/sign-in/approve'), 404, 'not_found');
      const shown = await person.submit(request, { decision: 'approve' });
      expectRefusal(shown, 404, 'not_found');
      expect(shown.text).to.include('Sign-in ended');
      expect(await statusOf(service, poll_token)).to.equal('expired');
    });

    it('an approval after 600 s has no effect', async () => {
      const { code, poll_token } = await start(service);
      const request = await reachRequest(service, person, code);
      service.clock.advance(600_000);
      const shown = await person.submit(request, { decision: 'approve' });
      expectRefusal(shown, 403, 'forbidden');
      expect(await statusOf(service, poll_token)).to.equal('expired');
      expectRefusal(await person.open('/sign-in/approve'), 400, 'invalid_arg');
    });

    it('400 for a decision other than approve and deny', async () => {
      const { code, poll_token } = await start(service);
      const request = await reachRequest(service, person, code);
      for (const decision of ['', 'yes', 'Approve']) {
        expectRefusal(await person.submit(request, { decision }), 400, 'invalid_arg');
      }
      expect(await statusOf(service, poll_token)).to.equal('pending');
    });
  });

  describe('only the person at the page can approve', () => {
    let pollToken: string;
    let request: Shown;

    beforeEach(async () => {
      const { code, poll_token } = await start(service);
      pollToken = poll_token;
      request = await reachRequest(service, person, code);
    });

    it('403 forbidden for a form of another origin', async () => {
      for (const headers of [
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
        { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
        { origin: 'null' },
        { origin: '', 'sec-fetch-site': 'cross-site' },
        { origin: '', 'sec-fetch-site': 'same-site' },
        { origin: '', 'sec-fetch-site': 'none' },
        { origin: '', 'sec-fetch-site': '' },
      ]) {
        expectRefusal(await person.submit(request, { decision: 'approve' }, { headers }), 403, 'forbidden');
      }
      expect(await statusOf(service, pollToken)).to.equal('pending');
    });

    it('a browser that sends no Origin is accepted by Sec-Fetch-Site', async () => {
      const done = await person.submit(request, { decision: 'approve' }, { headers: { origin: '' } });
      expect(done.path).to.equal('/sign-in/done');
    });

    it("403 forbidden without the form's token, or with that of another browser", async () => {
      const tokenOf = (shown: Shown) => shown.page.find('input', { name: 'token' })?.attributes.value ?? '';
      const other = createPerson(service);
      const theirs = await reachRequest(service, other, (await start(service)).code);
      const token = tokenOf(request);
      for (const wrong of ['', 'x', token.slice(1), `${token}x`, tokenOf(theirs)]) {
        const shown = await person.submit(request, { decision: 'approve', token: wrong });
        expectRefusal(shown, 403, 'forbidden');
      }
      expect((await person.post('/sign-in/approve', { decision: 'approve' })).status).to.equal(403);
      expect(await statusOf(service, pollToken)).to.equal('pending');
    });

    it('403 forbidden with a forged, cut or older cookie', async () => {
      const value = person.cookie.split('=')[1] ?? '';
      const { code } = await start(service);
      const other = createPerson(service);
      await other.submit(await other.open(`/sign-in?code=${code}`), {});
      for (const cookie of [
        '',
        'dropleaf_sign_in=',
        `dropleaf_sign_in=${value.slice(0, -2)}`,
        other.cookie,
      ]) {
        person.cookie = cookie;
        expectRefusal(await person.submit(request, { decision: 'approve' }), 403, 'forbidden');
      }
      expect(await statusOf(service, pollToken)).to.equal('pending');
    });

    it('ignores other cookies of the same name, but tries only the first five', async () => {
      const { cookie } = person;
      person.cookie = `${'dropleaf_sign_in=x; '.repeat(5)}${cookie}`;
      expectRefusal(await person.submit(request, { decision: 'approve' }), 403, 'forbidden');
      person.cookie = `dropleaf_sign_in=x; other=1; ${cookie}`;
      expect((await person.submit(request, { decision: 'approve' })).path).to.equal('/sign-in/done');
    });
  });

  describe('the cookie', () => {
    it('is HttpOnly, Lax, limited to these pages, sealed, replaced at each step, and expires with the sign-in', async () => {
      const { code } = await start(service);
      service.clock.advance(100_000);
      const lines: string[] = [];
      const keep = (answer: { cookies: readonly string[] }) => {
        expect(answer.cookies).to.have.length(1);
        lines.push(answer.cookies[0] ?? '');
      };
      keep(await person.post('/sign-in', { code }));
      keep(await person.post('/sign-in/local', { name: 'ada', key: keyOf(service) }));
      const request = await person.open('/sign-in/approve');
      const token = request.page.find('input', { name: 'token' })?.attributes.value ?? '';
      keep(await person.post('/sign-in/approve', { decision: 'approve', token }));
      for (const line of lines) {
        expect(line).to.match(
          /^dropleaf_sign_in=[\w.-]+; Max-Age=500; Path=\/sign-in; HttpOnly; SameSite=Lax$/,
        );
        expect(line).to.not.include(code).and.not.include(token);
      }
      expect(new Set(lines)).to.have.property('size', 3);
    });

    it('on https is Secure and __Host-, so that no sibling domain can set it', async () => {
      const behind = await startService({ env: { BASE_URL: 'https://drops.example/' } });
      try {
        const { code, verification_url } = await start(behind);
        expect(verification_url).to.equal(`https://drops.example/sign-in?code=${code}`);
        const someone = createPerson(behind);
        const headers = { origin: 'https://drops.example' };
        const answer = await someone.post('/sign-in', { code }, { headers });
        expect(answer.cookies[0]).to.match(
          /^__Host-dropleaf_sign_in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
        );
        expect((await someone.get('/sign-in/local')).status).to.equal(200);
        someone.cookie = someone.cookie.replace('__Host-', '');
        expect((await someone.get('/sign-in/local')).status).to.equal(400);
      } finally {
        await behind.stop();
      }
    });
  });

  it('no code, key, cookie, form token or label is logged', async () => {
    const { code } = await start(service, { label: 'a secret label' });
    const request = await reachRequest(service, person, code);
    const token = request.page.find('input', { name: 'token' })?.attributes.value ?? 'missing';
    const cookie = person.cookie.split('=')[1] ?? 'missing';
    await person.submit(request, { decision: 'approve' });
    const logs = service.logs.join('\n');
    expect(logs).to.include('/sign-in/approve');
    for (const secret of [code, token, cookie, keyOf(service), 'a secret label'])
      expect(logs).to.not.include(secret);
  });
});

describe('limits of wrong codes and keys', () => {
  const address = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` });
  let service: TestService;
  beforeEach(async () => {
    service = await startService({ env: { TRUST_PROXY: '1' } });
  });
  afterEach(() => service.stop());

  const wrongCode = (person: Person, n = 1) =>
    person.post('/sign-in', { code: 'BCDF-GHJK' }, { headers: address(n) });

  it('429 rate_limited after 10 wrong codes from one address in 10 minutes, the right one included', async () => {
    const person = createPerson(service);
    const { code } = await start(service);
    for (let i = 0; i < 10; i++) expect((await wrongCode(person)).status).to.equal(404);
    const shown = await person.submit(await person.open('/sign-in'), { code }, { headers: address(1) });
    const details = expectRefusal(shown, 429, 'rate_limited');
    expect(shown.answer.headers['retry-after']).to.equal(String(details.retry_after_seconds));
    expect(shown.text).to.match(/Too many wrong attempts\. Try again in \d+ (minutes|seconds)/);
    expect((await person.post('/sign-in', { code }, { headers: address(2) })).status).to.equal(303);
    service.clock.advance(600_000);
    expect((await wrongCode(person)).status).to.equal(404);
  });

  it('10 of 40 parallel guesses are looked up', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => wrongCode(createPerson(service))));
    expect(answers.filter(({ status }) => status === 404)).to.have.length(10);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(30);
  });

  it('30 parallel valid codes from one address are accepted beside 9 wrong ones', async () => {
    for (let n = 0; n < 9; n++) expect((await wrongCode(createPerson(service))).status).to.equal(404);
    const { code } = await start(service);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        createPerson(service).post('/sign-in', { code }, { headers: address(1) }),
      ),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 303));
  });

  it('valid codes, and texts that are not codes, do not count', async () => {
    const { code } = await start(service);
    const person = createPerson(service);
    for (let i = 0; i < 15; i++) {
      expect((await person.post('/sign-in', { code }, { headers: address(1) })).status).to.equal(303);
      expect((await person.post('/sign-in', { code: 'BCD' }, { headers: address(1) })).status).to.equal(400);
    }
    expect((await wrongCode(person)).status).to.equal(404);
  });

  it('codes that could not be looked up do not count', async () => {
    const gate = createGate();
    const failing = await startService({
      env: { CODE_TRIES: '2' },
      adaptEngine: (engine) => ({ ...engine, signIns: gate.wrap(engine.signIns, ['findByCode']) }),
    });
    try {
      const person = createPerson(failing);
      const { code } = await start(failing);
      gate.refuse(unavailable('The database is down.', 3));
      for (let i = 0; i < 5; i++) expect((await person.post('/sign-in', { code })).status).to.equal(503);
      gate.open();
      expect((await person.post('/sign-in', { code })).status).to.equal(303);
    } finally {
      await failing.stop();
    }
  });

  it('429 rate_limited after 20 codes that one account reviews in 10 minutes, from any addresses', async () => {
    async function decide(name: string, n: number): Promise<Shown> {
      const person = createPerson(service);
      const headers = address(n);
      const { code } = await start(service);
      const local = await person.submit(await person.open(`/sign-in?code=${code}`), {}, { headers });
      return person.submit(local, { name, key: keyOf(service) }, { headers });
    }
    for (let n = 0; n < 20; n++) expect((await decide('ada', n)).path).to.equal('/sign-in/approve');
    const refused = await decide('ada', 30);
    expectRefusal(refused, 429, 'rate_limited');
    expect(refused.text).to.match(/At most 20 sign-ins.*Try again in \d+ (minutes|seconds)/);
    expect((await decide('grace', 31)).path).to.equal('/sign-in/approve');
    service.clock.advance(600_000);
    expect((await decide('ada', 32)).path).to.equal('/sign-in/approve');
  });

  async function withCode(): Promise<Person> {
    const person = createPerson(service);
    await person.post('/sign-in', { code: (await start(service)).code }, { headers: address(99) });
    return person;
  }

  const tryKey = (person: Person, key: string, n: number, name = 'ada') =>
    person.post('/sign-in/local', { name, key }, { headers: address(n) });

  it('429 rate_limited after 10 wrong keys from one address, the right one included', async () => {
    const person = await withCode();
    for (let i = 0; i < 10; i++) expect((await tryKey(person, 'wrong', 1)).status).to.equal(403);
    expect((await tryKey(person, keyOf(service), 1)).status).to.equal(429);
    expect((await tryKey(person, keyOf(service), 2)).status).to.equal(303);
  });

  it('30 parallel right keys from one address sign in beside 9 wrong ones; of 30 wrong ones 10 are checked', async () => {
    const newPeople = () => Promise.all(Array.from({ length: 30 }, withCode));
    const tryAll = async (people: readonly Person[], key: string) => {
      const answers = people.map((person, n) => tryKey(person, key, 1, `person-${n}`));
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    const people = await newPeople();
    for (const person of people.slice(0, 9)) expect((await tryKey(person, 'wrong', 1)).status).to.equal(403);
    expect(await tryAll(people, keyOf(service))).to.deep.equal(Array(30).fill(303));

    service.clock.advance(600_000);
    const statuses = await tryAll(await newPeople(), 'wrong');
    expect(statuses.filter((status) => status === 403)).to.have.length(10);
    expect(statuses.filter((status) => status === 429)).to.have.length(20);
  });
});
