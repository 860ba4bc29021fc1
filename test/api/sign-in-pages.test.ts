import { expect } from 'chai';
import { useEach } from '../support/between.ts';
import { expectError } from '../support/expect.ts';
import { createPerson, expectRefusal, type Person, type Shown } from '../support/person.ts';
import { type TestService, useService } from '../support/service.ts';

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

const tokenOf = ({ page }: Shown) => page.find('input', { name: 'token' })?.attributes.value ?? '';

/** What the approval page offers, and whether it is chosen. */
const scopesOf = ({ page }: Shown) =>
  page.all('option').map(({ attributes }) => [attributes.value, 'selected' in attributes] as const);

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
  const person = useEach(() => createPerson(service));
  before(async () => {
    for (const name of ['ada', 'grace', 'eve']) await service.newOwner(name);
  });

  describe('with the sign-in key', () => {
    /** The scope of the token that the client gets. */
    async function scopeAfter(pollToken: string) {
      const { body } = await service.get(`/api/auth/poll?token=${pollToken}`);
      const me = await service.get('/api/me', { token: body.api_token });
      return me.body.token?.scope ?? 'all';
    }

    it('the approval page says what the device can do; the user can narrow it, and never widen it', async () => {
      const cases = [
        ['all', {}, 'all'],
        ['all', { scope: 'publish' }, 'publish'],
        ['publish', {}, 'publish'],
        ['publish', { scope: 'all' }, 'publish'],
      ] as const;
      for (const [asked, chosen, given] of cases) {
        const { code, poll_token } = await start(service, { scope: asked });
        const request = await reachRequest(service, person, code);
        expect(request.text).to.include('Publish only').and.include('It cannot unlock or delete pages');
        const offered = scopesOf(request);
        const both = [
          ['all', true],
          ['publish', false],
        ];
        expect(offered).to.deep.equal(asked === 'all' ? both : []);
        const fields = { scope: 'all', ...chosen, decision: 'approve' };
        await person.submit(
          request,
          asked === 'publish' && !('scope' in chosen) ? { decision: 'approve' } : fields,
        );
        expect(await scopeAfter(poll_token), `${asked} ${JSON.stringify(chosen)}`).to.equal(given);
      }
    });

    it('another scope is refused with the page, and the choice stays through an error', async () => {
      const { code, poll_token } = await start(service);
      const request = await reachRequest(service, person, code);
      const refused = await person.submit(request, { scope: 'read', decision: 'approve' });
      expect(refused.text).to.include('Choose what the device may do.');
      expect(await statusOf(service, poll_token)).to.equal('pending');
      const again = await person.submit(request, { scope: 'publish', decision: 'maybe' });
      expect(scopesOf(again)).to.deep.include(['publish', true]);
      await person.submit(again, { scope: 'publish', decision: 'approve' });
      expect(await scopeAfter(poll_token)).to.equal('publish');
    });

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
      const fields = { decision: 'approve', token: tokenOf(await reachRequest(service, person, code)) };
      const send = () => person.post('/sign-in/approve', fields);
      const answers = await Promise.all([send(), send()]);
      for (const { status, headers } of answers)
        expect([status, headers.location]).to.deep.equal([303, '/sign-in/done']);
      expect(await statusOf(service, poll_token)).to.equal('verified');
    });
  });

  describe('the code', () => {
    it('is asked for if the address has none, or something that is not a code', async () => {
      const hostile = encodeURIComponent('"><script>alert(1)</script>');
      for (const query of ['', `?code=${hostile}`, '?code=a&code=b', '?code=%00']) {
        const path = `/sign-in${query}`;
        const { page, status } = await person.open(path);
        expect([status, page.title], path).to.deep.equal([200, 'Enter the code · Dropleaf']);
        const scripts = page
          .all('script')
          .map(({ attributes: { src = '' }, text }) => [src.split('/').at(-2), text]);
        expect(scripts, path).to.deep.equal([['assets', '']]);
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

    it('for a program: the envelope alone, 404 for an unknown code, and for a body that is no form', async () => {
      const send = (raw: string, headers: Record<string, string>) =>
        service.request('POST', '/sign-in', { raw, headers: { origin: service.url, ...headers } });
      const form = 'application/x-www-form-urlencoded';
      const gzip = { 'content-encoding': 'gzip' };
      for (const [raw, headers, status] of [
        ['{"code":"BCDF-GHJK"}', {}, 400],
        [`code=${'x'.repeat(20_000)}`, { 'content-type': form }, 413],
        ['code=x', { 'content-type': form, ...gzip }, 415],
        ['code=BCDF-GHJK&code=BCDF-GHJL', { 'content-type': form }, 400],
        ['__proto__=x&code=', { 'content-type': form }, 400],
      ] as const)
        expectError(await send(raw, headers), status, 'invalid_arg');
      expectError(await send('code=BCDF-GHJK', { 'content-type': form }), 404, 'not_found');
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
      for (const name of ['', '.ada', '<b>', 'x'.repeat(40), 'Ада']) {
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
  });

  describe('only the person at the page can approve, in time and once', () => {
    let code: string;
    let pollToken: string;
    let request: Shown;

    beforeEach(async () => {
      ({ code, poll_token: pollToken } = await start(service));
      request = await reachRequest(service, person, code);
    });

    const approve = (fields: Record<string, string> = {}) =>
      person.submit(request, { decision: 'approve', ...fields });

    it('404 if it was decided in another browser meanwhile', async () => {
      const other = createPerson(service);
      await other.submit(await reachRequest(service, other, code, 'eve'), { decision: 'deny' });
      expectRefusal(await person.open('/sign-in/approve'), 404, 'not_found');
      const shown = await approve();
      expectRefusal(shown, 404, 'not_found');
      expect(shown.text).to.include('Sign-in ended');
      expect(await statusOf(service, pollToken)).to.equal('expired');
    });

    it('403 after 600 s, and it has no effect', async () => {
      service.clock.advance(600_000);
      expectRefusal(await approve(), 403, 'forbidden');
      expect(await statusOf(service, pollToken)).to.equal('expired');
      expectRefusal(await person.open('/sign-in/approve'), 400, 'invalid_arg');
    });

    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      ...['cross-site', 'same-site', 'none', ''].map((site) => ({ origin: '', 'sec-fetch-site': site })),
    ])
      it(`403 for a form of another origin: ${Object.values(headers)}`, async () => {
        const shown = await person.submit(request, { decision: 'approve' }, { headers });
        expectRefusal(shown, 403, 'forbidden');
        expect(await statusOf(service, pollToken)).to.equal('pending');
      });

    it('a browser that sends no Origin is accepted by Sec-Fetch-Site', async () => {
      const done = await person.submit(request, { decision: 'approve' }, { headers: { origin: '' } });
      expect(done.path).to.equal('/sign-in/done');
    });

    it("400 for another decision, 403 without the form's token, or with that of another browser", async () => {
      for (const decision of ['', 'yes', 'Approve'])
        expectRefusal(await approve({ decision }), 400, 'invalid_arg');
      const other = createPerson(service);
      const theirs = await reachRequest(service, other, (await start(service)).code);
      const token = tokenOf(request);
      for (const wrong of ['', 'x', token.slice(1), `${token}x`, tokenOf(theirs)])
        expectRefusal(await approve({ token: wrong }), 403, 'forbidden');
      expect((await person.post('/sign-in/approve', { decision: 'approve' })).status).to.equal(403);
      expect(await statusOf(service, pollToken)).to.equal('pending');
    });

    it('403 with a forged, cut or older cookie; only the first five of its name are tried', async () => {
      const { cookie } = person;
      const value = cookie.split('=')[1] ?? '';
      const other = createPerson(service);
      await other.submit(await other.open(`/sign-in?code=${(await start(service)).code}`), {});
      for (const wrong of [
        '',
        'dropleaf_sign_in=',
        `dropleaf_sign_in=${value.slice(0, -2)}`,
        other.cookie,
        `${'dropleaf_sign_in=x; '.repeat(5)}${cookie}`,
      ]) {
        person.cookie = wrong;
        expectRefusal(await approve(), 403, 'forbidden');
      }
      expect(await statusOf(service, pollToken)).to.equal('pending');
      person.cookie = `dropleaf_sign_in=x; other=1; ${cookie}`;
      expect((await approve()).path).to.equal('/sign-in/done');
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
      const token = tokenOf(request);
      keep(await person.post('/sign-in/approve', { decision: 'approve', token }));
      for (const line of lines) {
        expect(line).to.match(
          /^dropleaf_sign_in=[\w.-]+; Max-Age=500; Path=\/sign-in; HttpOnly; SameSite=Lax$/,
        );
        expect(line).to.not.include(code).and.not.include(token);
      }
      expect(new Set(lines)).to.have.property('size', 3);
    });
  });
});
