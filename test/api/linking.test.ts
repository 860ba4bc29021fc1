import { expect } from 'chai';
import { withoutClaims } from '../../shared/sign-ins/identity-provider.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';
import { startGitHubDouble } from '../support/github-double.ts';
import { parsePage } from '../support/html.ts';
import { startOidcServer } from '../support/oidc-server.ts';
import { createPerson, expectRefusal, type Person } from '../support/person.ts';
import { useServiceBeside } from '../support/service.ts';

const ample = { SIGN_INS_PER_10_MINUTES: '1000', CHANGES_PER_MINUTE: '1000' };

describe('Ways to sign in, on the account page', () => {
  async function startProviders() {
    const github = await startGitHubDouble();
    const oidc = await startOidcServer();
    const close = () => Promise.all([github.close(), oidc.close()]);
    return { github, oidc, env: { ...github.env, ...oidc.env, SIGN_IN: 'oidc,local,github' }, close };
  }
  const [service, providers] = useServiceBeside(startProviders, ample);
  let person: Dashboard;
  let n = 0;
  beforeEach(async () => {
    service.clock.advance(60_000);
    person = await openDashboard(service);
    service.clock.advance(1_000);
    n += 1;
    providers.oidc.claims = { ...providers.oidc.claims, sub: `ada-${n}` };
    providers.github.user = { id: 1_000 + n, login: `octocat-${n}` };
  });

  const listOf = ({ owner }: Dashboard) => service.services.identities.listOf(owner.userId);
  const providersOf = async (who: Dashboard) =>
    (await listOf(who)).map(({ provider }) => provider.replace(/:.*/, ''));

  /** Asks for another way. @returns the address of the provider */
  async function ask(way: 'oidc' | 'github', who: Dashboard = person): Promise<string> {
    const answer = await who.post('/account/ways', { way });
    expect(answer.status, answer.text).to.equal(200);
    return (
      parsePage(answer.text)
        .find('meta', { 'http-equiv': 'refresh' })
        ?.attributes.content?.replace(/^0; url=/, '') ?? ''
    );
  }

  /** Asks for another way, and agrees at the provider. @returns the path to which the browser comes back */
  async function visit(way: 'oidc' | 'github', who: Dashboard = person): Promise<string> {
    const { pathname, search } = await providers[way].visit(await ask(way, who));
    return pathname + search;
  }

  /** Signs in with another browser. @returns the name of the account */
  async function nameAfterSignIn(way: 'oidc' | 'github'): Promise<string> {
    const browser: Person = createPerson(service);
    const page = await browser.post('/sign-in/browser', { way, next: '/account' });
    const link = parsePage(page.text).find('a', { class: 'button' })?.attributes.href ?? '';
    const { pathname, search } = await providers[way].visit(link);
    const account = await browser.open(pathname + search);
    return account.page.find('h1')?.text ?? '';
  }

  it('are listed; the others of the service are offered', async () => {
    const account = await person.open('/account');
    expect(account.text).to.include('Ways to sign in').and.include('Sign-in key');
    expect(account.page.find('a', { href: '/account/ways' })?.text).to.equal('Add another way…');
    const form = await person.open('/account/ways');
    const buttons = form.page.all('button').map(({ text }) => text);
    expect(buttons.filter((text) => text.startsWith('Continue'))).to.have.length(2);
    expect(form.page.find('input', { name: 'key' }), 'the account has it').to.equal(undefined);
  });

  for (const way of ['oidc', 'github'] as const) {
    it(`${way} is added by signing in there, and leads to the account from then on`, async () => {
      const account = await person.open(await visit(way));
      expect([account.status, account.path]).to.deep.equal([200, '/account?notice=way-added']);
      expect(account.text).to.include('The account has another way to sign in.');
      expect(await providersOf(person)).to.deep.equal(['local', way]);
      expect(await nameAfterSignIn(way)).to.equal(person.owner.name);
      expect((await person.post('/account/ways', { way })).status, 'once').to.equal(400);
    });
  }

  it('the sign-in key and a free name are added; a wrong key, a taken name and no name are not', async () => {
    const { id } = await service.services.signIns.signInWith(
      withoutClaims({ provider: 'github:https://elsewhere.example', subject: `${n}`, name: 'moved' }),
    );
    const who = await openDashboard(service, { ...person.owner, userId: id });
    service.clock.advance(1);
    const form = await who.open('/account/ways');
    const fill = (fields: Record<string, string>) => {
      const all = {
        form_token: who.formToken,
        way: 'local',
        key: String(service.services.signInKey),
        ...fields,
      };
      return who.post('/account/ways', all);
    };
    expect(form.text).to.include('Anybody who has the key can sign in with this name');
    for (const [fields, status, text] of [
      [{ name: 'free', key: 'wrong' }, 403, 'The sign-in key is wrong.'],
      [{ name: person.owner.name }, 403, 'has an account of its own here'],
      [{ name: '' }, 400, 'The name must have'],
    ] as const) {
      const { status: found, text: page } = await fill(fields);
      expect([found, page.includes(text)], text).to.deep.equal([status, true]);
    }
    const added = await fill({ name: `Free-${n}` });
    expect([added.status, added.headers.location]).to.deep.equal([303, '/account?notice=way-added']);
    expect((await service.services.identities.listOf(id)).map(({ name }) => name)).to.deep.equal([
      'moved',
      `free-${n}`,
    ]);
  });

  it('an identity that has an account is refused on a page that says so', async () => {
    await nameAfterSignIn('oidc');
    const refused = await person.open(await visit('oidc'));
    expectRefusal(refused, 403, 'forbidden');
    expect(refused.text).to.include('has an account of its own here. Nothing was changed.');
    expect(await providersOf(person)).to.deep.equal(['local']);
  });

  it('only for a session that has just begun, and only to sessions of the account', async () => {
    service.clock.advance(10 * 60_000);
    for (const path of ['/account/ways', '/account/ways/0123456789abcdef0123/remove']) {
      const { status, headers } = await person.get(path);
      expect([status, headers.location]).to.deep.equal([
        303,
        `/sign-in/browser?next=${encodeURIComponent(path)}`,
      ]);
    }
    expect((await person.open('/account/ways')).path, 'signs in again').to.include('/sign-in/browser');
    const answer = await person.post('/account/ways', { way: 'oidc' });
    expect(answer.text).to.not.include(providers.oidc.issuer);
    expect(await providersOf(person)).to.deep.equal(['local']);
    expect((await person.get('/sign-in/browser?next=/account')).headers.location).to.equal('/account');
  });

  it('nothing is added in a browser that is signed out, or signed in to another account, or suspended', async () => {
    const other = await openDashboard(service);
    for (const session of ['', other.cookie]) {
      const back = await visit('oidc');
      const visiting = person.cookie.split('; ').find((each) => each.startsWith('dropleaf_sign_in='));
      const browser = createPerson(service);
      browser.cookie = [session, visiting].filter(Boolean).join('; ');
      const shown = await browser.open(back);
      expectRefusal(shown, 401, 'unauthorized');
    }
    const again = await visit('github');
    await service.services.engine.accounts.setSuspended(person.owner.userId, service.clock.now());
    expectRefusal(await person.open(again), 403, 'forbidden');
    for (const who of [person, other]) expect(await providersOf(who)).to.deep.equal(['local']);
  });

  it('a way is removed, never the last one; other sessions end, and tokens stay', async () => {
    await person.open(await visit('oidc'));
    const elsewhere = await openDashboard(service, person.owner);
    const account = await person.open('/account');
    const links = account.page.all('a').filter(({ text }) => text === 'Remove…');
    expect(links).to.have.length(2);
    const [ofLocal, ofOidc] = links.map(({ attributes }) => attributes.href ?? '');
    const question = await person.open(ofLocal ?? '');
    expect(question.text).to.include('Remove this way to sign in?');
    const { status, headers } = await person.post(ofLocal ?? '', {});
    expect([status, headers.location]).to.deep.equal([303, '/account?notice=way-removed']);
    expect(await providersOf(person)).to.deep.equal(['oidc']);
    expect(
      (await person.open('/account')).page.find('h1')?.text,
      'the name of the way that is left',
    ).to.equal('ada');
    expect((await elsewhere.get('/account')).status).to.equal(303);
    expect((await person.owner.get('/api/me')).status).to.equal(200);
    const last = await person.post(ofOidc ?? '', {});
    expect(last.status).to.equal(403);
    expect(last.text).to.include('The last way to sign in cannot be removed');
    expect((await service.newOwner(person.owner.name)).userId, 'a new account').to.not.equal(
      person.owner.userId,
    );
  });
});
