import { expect } from 'chai';
import { useOnce } from '../support/between.ts';
import { openDashboard } from '../support/dashboard.ts';
import { routesOf } from '../support/description.ts';
import { startGitHubDouble } from '../support/github-double.ts';
import { createTestPages } from '../support/layout.ts';
import { createPerson, type Person } from '../support/person.ts';
import { type Owner, type TestService, useServices } from '../support/service.ts';
import { readStored } from '../support/stored.ts';

/** A request that is answered as the route is meant to be: a GET would change what the route changes. */
interface Visit {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

const contact = { SECURITY_CONTACT: 'mailto:security@drops.example' };
const browser = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('HEAD', () => {
  const startOwn = useServices();
  const double = useOnce(startGitHubDouble);

  for (const provider of ['GitHub', 'the sign-in key']) {
    it(`of every GET path changes no stored data and sets no cookie; sign-in with ${provider}`, async () => {
      const service = await startOwn({ env: { ...contact, ...(provider === 'GitHub' && double.env) } });
      const owner = await service.newOwner();
      await service.newOwner('ada');
      const visits = await prepare(service, owner, provider === 'GitHub');
      await service.settle();
      const before = await readStored(service.config);
      double.requests.length = 0;

      for (const { path, headers, status } of visits.values()) {
        const answer = await service.request('HEAD', path, { headers: { ...browser, ...headers } });
        expect(answer.status, path).to.equal(status);
        expect(answer.cookies, path).to.deep.equal([]);
        expect(answer.bytes, path).to.be.empty;
      }

      await service.settle();
      const after = await readStored(service.config);
      for (const [name, rows] of Object.entries(before)) expect(after[name], name).to.deep.equal(rows);
      expect(double.requests).to.deep.equal([]);
      expect((await service.get(visits.get('/api/auth/poll')?.path ?? '')).body.status).to.equal('verified');
      const callback = visits.get('/sign-in/github/callback');
      const returned = await service.get(callback?.path ?? '', { headers: callback?.headers ?? {} });
      expect(returned.status).to.equal(callback?.status);
    });
  }

  it('of an approved poll answers 200 without a body, and the next GET reveals the token', async () => {
    const service = await startOwn();
    const { poll_token } = await approved(service, await service.newOwner());
    const path = `/api/auth/poll?token=${poll_token}`;
    const head = await service.request('HEAD', path);
    expect(head.status).to.equal(200);
    expect(head.headers['cache-control']).to.equal('no-store');
    const { status, api_token } = (await service.get(path)).body;
    expect(status).to.equal('verified');
    expect((await service.get('/api/me', { token: api_token })).status).to.equal(200);
  });

  async function approved(service: TestService, { userId }: Owner) {
    const { body } = await service.request('POST', '/api/auth/start');
    const signIn = await service.services.signIns.findByCode(body.code);
    if (signIn === null) throw new Error('the sign-in has just been started');
    await service.services.signIns.approve(signIn.id, userId);
    return body;
  }

  /** A browser on its way through the sign-in: with the page of the key, or on the way back from GitHub. */
  async function signingIn(service: TestService): Promise<{ person: Person; callback: string }> {
    const person = createPerson(service);
    const { body } = await service.request('POST', '/api/auth/start');
    const next = await person.submit(await person.open(`/sign-in?code=${body.code}`), {});
    const link = next.page.find('a', { class: 'button' })?.attributes.href ?? '';
    if (!link.startsWith(double.url)) return { person, callback: '/sign-in/github/callback?code=a&state=b' };
    const { pathname, search } = await double.visit(link);
    return { person, callback: pathname + search };
  }

  /** A browser that has signed in, and is to decide. */
  async function deciding(service: TestService, withGitHub: boolean): Promise<Person> {
    const { person, callback } = await signingIn(service);
    if (withGitHub) await person.open(callback);
    else await person.post('/sign-in/local', { name: 'ada', key: String(service.services.signInKey) });
    return person;
  }

  /** Of each GET route, by its path. */
  async function prepare(
    service: TestService,
    owner: Owner,
    withGitHub: boolean,
  ): Promise<ReadonlyMap<string, Visit>> {
    const { slug } = await owner.create({ context: 'Why' });
    const { token } = (await owner.get('/api/me')).body; // the token's last use is written once a minute
    await service.get(`/p/${slug}/card.png`); // it is drawn for its first reader
    const { poll_token } = await approved(service, owner);
    const returning = await signingIn(service);
    const decide = await deciding(service, withGitHub);
    const done = await deciding(service, withGitHub);
    await done.submit(await done.open('/sign-in/approve'), { decision: 'deny' });
    const { cookie } = await openDashboard(service, owner);
    const ofReturning = { cookie: returning.person.cookie };
    const special: Readonly<Record<string, Partial<Visit>>> = {
      '/assets/:name': { path: createTestPages().assets.pathOf('style.css') },
      '/api/auth/poll': { path: `/api/auth/poll?token=${poll_token}` },
      '/api/drops/:slug/diff': { path: `/api/drops/${slug}/diff?from=1` },
      '/p/:slug/comments': { headers: { cookie } },
      '/drops/delete': { status: 303 }, // to the list, because none is chosen
      '/account/tokens/:id/new': { status: 303 }, // it was shown
      '/account/ways/:id/remove': { status: 404 }, // it is no way to sign in
      '/drops/:slug/compare/diff': { path: `/drops/${slug}/compare/diff?from=1&to=1` },
      '/sign-in/github/callback': {
        path: returning.callback,
        headers: ofReturning,
        status: withGitHub ? 303 : 404,
      },
      '/sign-in/oidc/callback': { status: 404 }, // nobody signs in there
      '/sign-in/ready': { status: 303 }, // to the sign-in
      '/sign-in/local': { headers: ofReturning, status: withGitHub ? 404 : 200 },
      '/sign-in/approve': { headers: { cookie: decide.cookie } },
      '/sign-in/done': { headers: { cookie: done.cookie } },
      '/oembed': { path: `/oembed?url=${encodeURIComponent(`${service.config.BASE_URL}/p/${slug}`)}` },
    };
    const headersOf = (path: string): Readonly<Record<string, string>> => {
      if (path.startsWith('/api/')) return { authorization: `Bearer ${owner.token}` };
      return /^\/(drops|shared|comments|account|operators)(\/|$)/.test(path) ? { cookie } : {};
    };
    const { routes } = routesOf(service.services);
    const paths = routes.filter(({ method }) => method === 'GET').map(({ path }) => path);
    return new Map(
      [...paths, '/p/:slug/raw'].map((path) => {
        const filled = path
          .replace(':slug', slug)
          .replace(':n', '1')
          .replace(':id', token?.id ?? '');
        return [path, { path: filled, headers: headersOf(path), status: 200, ...special[path] }];
      }),
    );
  }
});
