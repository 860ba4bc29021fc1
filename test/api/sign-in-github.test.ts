import { expect } from 'chai';
import { expectError } from '../support/expect.ts';
import { startGitHubDouble } from '../support/github-double.ts';
import { createPerson, expectRefusal, type Person, type Shown } from '../support/person.ts';
import { useServiceBeside } from '../support/service.ts';

const callback = '/sign-in/github/callback';

describe('sign-in with GitHub', () => {
  const limits = { SIGN_IN_STARTS_PER_MINUTE: '1000', SIGN_INS_PER_ACCOUNT: '1000' };
  const [service, double] = useServiceBeside(startGitHubDouble, limits);
  let person: Person;

  beforeEach(() => {
    person = createPerson(service);
    Object.assign(double, { user: { id: 583231, login: 'octocat' }, answer: 'agrees', faults: {} });
    double.requests.length = 0;
  });

  const start = async () => (await service.request('POST', '/api/auth/start')).body;
  const poll = async (token: string) => (await service.get(`/api/auth/poll?token=${token}`)).body;

  /** Sends the form at the path, and visits the provider. @returns the path of the callback */
  async function visitFrom(path: string, who = person): Promise<string> {
    const leaving = await who.submit(await who.open(path), {});
    expect(leaving.status, leaving.text).to.equal(200);
    const link = leaving.page.find('a', { class: 'button' })?.attributes.href ?? '';
    const { pathname, search, origin } = await double.visit(link);
    expect(origin + pathname).to.equal(service.url + callback);
    return pathname + search;
  }

  const visitProvider = (code: string, who = person) => visitFrom(`/sign-in?code=${code}`, who);

  function expectAgain(shown: Shown, code: string): void {
    const { href } = shown.page.find('a', { class: 'button' })?.attributes ?? {};
    expect(href).to.equal(`/sign-in?code=${code}`);
    expect(person.cookie, 'the cookie is spent').to.equal('');
  }

  it('the user enters the code, signs in at GitHub and approves: the client gets its token; there is no sign-in key', async () => {
    const { code, poll_token } = await start();
    const request = await person.open(await visitProvider(code));
    expect(request.path).to.equal('/sign-in/approve');
    expect(request.text).to.include('signed in as octocat').and.include(code);
    await person.submit(request, { decision: 'approve' });
    const { status, user_id, api_token } = await poll(poll_token);
    expect(status).to.equal('verified');
    expect((await service.get('/api/me', { token: api_token })).body.user_id).to.equal(user_id);
    expect(double.requests).to.deep.equal(['POST /login/oauth/access_token', 'GET /api/v3/user']);
    const seen = request.answer.text + JSON.stringify(request.answer.headers);
    for (const secret of [...double.secrets, double.clientSecret]) expect(seen).to.not.include(secret);
    expectError(await service.get('/sign-in/local'), 404, 'not_found');
    expect((await person.post('/sign-in/local', { name: 'ada', key: '' })).status).to.equal(404);
    expect(service.services.signInKey).to.equal(null);
  });

  it('a page leads on to GitHub by a refresh and a link, because forms may lead to our own pages only', async () => {
    const first = await person.open(`/sign-in?code=${(await start()).code}`);
    const leaving = await person.submit(first, {});
    expect(first.text).to.include('Continue with');
    const link = leaving.page.find('a', { class: 'button' })?.attributes.href ?? '';
    expect(link.startsWith(`${double.url}/login/oauth/authorize?`), link).to.equal(true);
    const refresh = leaving.page.find('meta', { 'http-equiv': 'refresh' })?.attributes.content;
    expect(refresh).to.equal(`0; url=${link}`);
    for (const { answer } of [first, leaving])
      expect(answer.headers['content-security-policy']).to.include("form-action 'self';");
    expect(leaving.answer.headers['cache-control']).to.equal('no-store');
    expect(leaving.answer.headers.location).to.equal(undefined);
  });

  it('is no open redirect: other parameters of address and form are ignored', async () => {
    for (const field of ['next', 'return_to', 'redirect_uri', 'url', 'continue', 'state']) {
      const { code } = await start();
      const query = `code=${code}&${field}=${encodeURIComponent('https://evil.example/')}`;
      const first = await person.open(`/sign-in?${query}`);
      const leaving = await person.submit(first, { [field]: '//evil.example/' });
      const link = leaving.page.find('a', { class: 'button' })?.attributes.href ?? '';
      const back = await double.visit(link);
      back.searchParams.set('next', 'https://evil.example/');
      if (field !== 'state') back.searchParams.set(field, 'https://evil.example/');
      const answer = await person.get(back.pathname + back.search);
      expect(answer.headers.location, field).to.equal('/sign-in/approve');
      for (const { text } of [first.answer, leaving.answer, answer])
        expect(text, field).to.not.include('evil.example');
    }
  });

  it('403 if the user refuses at GitHub, with a link to try again', async () => {
    const { code, poll_token } = await start();
    double.answer = 'refuses';
    const shown = await person.open(await visitProvider(code));
    expectRefusal(shown, 403, 'forbidden');
    expectAgain(shown, code);
    expect(await poll(poll_token)).to.deep.equal({ status: 'pending' });
    double.answer = 'agrees';
    expect((await person.open(await visitProvider(code))).path).to.equal('/sign-in/approve');
  });

  it('503 if GitHub fails, with Retry-After and a link to try again', async () => {
    for (const fault of ['status 500', 'drop', 'garbage'] as const) {
      const { code, poll_token } = await start();
      double.faults = { user: fault };
      const logged = service.logs.length;
      const shown = await person.open(await visitProvider(code));
      const details = expectRefusal(shown, 503, 'unavailable');
      expect(shown.answer.headers['retry-after']).to.equal(String(details.retry_after_seconds));
      expect(shown.text).to.include('Nothing was approved');
      expectAgain(shown, code);
      expect(await poll(poll_token)).to.deep.equal({ status: 'pending' });
      expect(service.logs.slice(logged).join('\n')).to.match(
        /the identity provider failed to identify a user .*reason: '/,
      );
    }
  });

  it('a numeric user id is one account, also after the login changed', async () => {
    const accounts: unknown[] = [];
    const tokens = new Set<unknown>();
    for (const [id, login] of [
      [583231, 'octocat'],
      [583231, 'renamed'],
      [583232, 'octocat'],
    ] as const) {
      double.user = { id, login };
      const { code, poll_token } = await start();
      const someone = createPerson(service);
      const request = await someone.open(await visitProvider(code, someone));
      expect((await someone.submit(request, { decision: 'approve' })).path).to.equal('/sign-in/done');
      const { user_id, api_token } = await poll(poll_token);
      accounts.push(user_id);
      tokens.add(api_token);
    }
    expect(accounts[1]).to.equal(accounts[0]).and.not.equal(accounts[2]);
    expect(tokens.size).to.equal(3);
  });

  it('403 for a return with another state or an invalid code', async () => {
    for (const field of ['state', 'code']) {
      const { code } = await start();
      const back = new URL(await visitProvider(code), service.url);
      back.searchParams.set(field, 'made-up');
      const shown = await person.open(back.pathname + back.search);
      expectRefusal(shown, 403, 'forbidden');
      expectAgain(shown, code);
    }
  });

  it('403 for the return of another browser, so that nobody is signed in as somebody else', async () => {
    const attacker = createPerson(service);
    double.user = { id: 666, login: 'mallory' };
    const theirs = await visitProvider((await start()).code, attacker);
    double.user = { id: 583231, login: 'octocat' };
    await visitProvider((await start()).code);
    expectRefusal(await person.open(theirs), 403, 'forbidden');
  });

  it('400 for a return without a visit, a second return, and one after the sign-in has expired; a replayed cookie is 403', async () => {
    expectRefusal(await person.open(`${callback}?code=x&state=y`), 400, 'invalid_arg');
    expect(double.requests).to.deep.equal([]);
    const back = await visitProvider((await start()).code);
    const before = person.cookie;
    expect((await person.open(back)).path).to.equal('/sign-in/approve');
    expectRefusal(await person.open(back), 400, 'invalid_arg');
    person.cookie = before; // as if the browser had kept it
    expectRefusal(await person.open(back), 403, 'forbidden');
    const late = await visitProvider((await start()).code);
    service.clock.advance(600_000);
    expectRefusal(await person.open(late), 400, 'invalid_arg');
  });

  it('404 if the sign-in was approved or denied while the user was at GitHub', async () => {
    const { code } = await start();
    const back = await visitProvider(code);
    const other = createPerson(service);
    await other.submit(await other.open(await visitProvider(code, other)), { decision: 'deny' });
    expectRefusal(await person.open(back), 404, 'not_found');
  });

  describe('to the dashboard', () => {
    it('returns to the page that asked for it, signed in; the return works once', async () => {
      const leaving = await person.submit(await person.open('/sign-in/browser'), {});
      expect(leaving.text).to.include('You then return here.');
      const back = await visitFrom('/sign-in/browser?next=/account');
      const answer = await person.get(back);
      expect([answer.status, answer.headers.location]).to.deep.equal([303, '/account']);
      expect(person.cookie).to.match(/^dropleaf_session=\w{43}$/);
      const other = createPerson(service);
      expect((await other.get(back)).status).to.equal(400);
      expect(other.cookie).to.equal('');
    });

    it('approves no device, and an approved device starts no session', async () => {
      const request = await person.open(await visitProvider((await start()).code));
      expect((await person.get('/')).status, 'a person who reviews a device is not signed in').to.equal(200);
      await person.submit(request, { decision: 'approve' });
      expect(person.cookie).to.not.include('dropleaf_session');

      const another = await start();
      const signedIn = createPerson(service);
      await signedIn.get(await visitFrom('/sign-in/browser', signedIn));
      const code = await signedIn.open(`/sign-in?code=${another.code}`);
      expect(code.page.find('h1')?.text).to.equal('Confirm the code');
      for (const path of ['/sign-in/approve', '/sign-in/local'])
        expect((await signedIn.post(path, { decision: 'approve' })).status, path).to.be.oneOf([403, 404]);
      expect((await poll(another.poll_token)).status).to.equal('pending');
    });

    it('a refusal of the provider starts no session, and leads back to the sign-in', async () => {
      double.answer = 'refuses';
      const refused = await person.open(await visitFrom('/sign-in/browser?next=/account'));
      expectRefusal(refused, 403, 'forbidden');
      const { href } = refused.page.find('a', { class: 'button' })?.attributes ?? {};
      expect(href).to.equal('/sign-in/browser?next=%2Faccount');
      expect(person.cookie).to.equal('');
    });
  });
});
