import { expect } from 'chai';
import { createBodyReader } from '../../api/http/body.ts';
import { createRoutes } from '../../api/routes.ts';
import { createMemoryBudget } from '../../api/server/memory-budget.ts';
import { dashboardPathsOf, openDashboard } from '../support/dashboard.ts';
import { type GitHubDouble, startGitHubDouble } from '../support/github-double.ts';
import { createTestPages } from '../support/layout.ts';
import { createPerson, type Person } from '../support/person.ts';
import { type Owner, startService, type TestService } from '../support/service.ts';
import { readStored } from '../support/stored.ts';

/** A request that would be answered as the route is meant to be, and would change what it changes. */
interface Visit {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const browser = { 'user-agent': 'Mozilla/5.0', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('HEAD', () => {
  let double: GitHubDouble;

  before(async () => {
    double = await startGitHubDouble();
  });
  after(() => double.close());

  for (const provider of ['GitHub', 'the sign-in key']) {
    it(`of every GET path changes no stored data and sets no cookie; sign-in with ${provider}`, async () => {
      const service = await startService({ env: provider === 'GitHub' ? gitHub() : {} });
      try {
        const owner = await service.newOwner();
        const visits = await prepare(service, owner, provider === 'GitHub');
        await service.settle();
        const before = await readStored(service.config);
        double.requests.length = 0;

        const routes = createRoutes(
          service.services,
          createBodyReader(createMemoryBudget(service.config.BUFFERED_BYTES)),
          createTestPages(),
        ).routes.filter(({ method }) => method === 'GET');
        expect(Object.keys(visits)).to.have.members([...routes.map(({ path }) => path), '/p/:slug/raw']);
        for (const { path, headers = {} } of Object.values(visits)) {
          const answer = await service.request('HEAD', path, { headers: { ...browser, ...headers } });
          expect(answer.cookies, path).to.deep.equal([]);
          expect(answer.bytes, path).to.be.empty;
        }

        await service.settle();
        const after = await readStored(service.config);
        for (const [name, rows] of Object.entries(before)) expect(after[name], name).to.deep.equal(rows);
        expect(double.requests).to.deep.equal([]);
        expect((await service.get(visits['/api/auth/poll']?.path ?? '')).body.status).to.equal('verified');
        const callback = visits['/sign-in/github/callback'];
        const returned = await service.get(callback?.path ?? '', { headers: callback?.headers ?? {} });
        expect(returned.status).to.equal(provider === 'GitHub' ? 303 : 404);
      } finally {
        await service.stop();
      }
    });
  }

  it('of an approved poll answers 200 without a body, and the next GET reveals the token', async () => {
    const service = await startService();
    try {
      const { poll_token } = await approved(service, await service.newOwner());
      const path = `/api/auth/poll?token=${poll_token}`;
      const head = await service.request('HEAD', path);
      expect(head.status).to.equal(200);
      expect(head.headers['cache-control']).to.equal('no-store');
      const { status, api_token } = (await service.get(path)).body;
      expect(status).to.equal('verified');
      expect((await service.get('/api/me', { token: api_token })).status).to.equal(200);
    } finally {
      await service.stop();
    }
  });

  const gitHub = () => ({
    GITHUB_CLIENT_ID: double.clientId,
    GITHUB_CLIENT_SECRET: double.clientSecret,
    GITHUB_URL: double.url,
    GITHUB_API_URL: double.apiUrl,
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

  /** By the route's path. */
  async function prepare(
    service: TestService,
    owner: Owner,
    withGitHub: boolean,
  ): Promise<Record<string, Visit>> {
    const { slug } = await owner.create({ context: 'Why' });
    const token = { authorization: `Bearer ${owner.token}` };
    await owner.get('/api/me'); // the token's last use is written once a minute
    await service.get(`/p/${slug}/card.png`); // it is drawn for its first reader
    const { poll_token } = await approved(service, owner);
    const returning = await signingIn(service);
    const decide = await deciding(service, withGitHub);
    const done = await deciding(service, withGitHub);
    await done.submit(await done.open('/sign-in/approve'), { decision: 'deny' });
    const at = (path: string, headers = {}): Visit => ({ path, headers });
    const { cookie } = await openDashboard(service, owner);
    const pages = [...dashboardPathsOf(service, 'GET', slug)].map(([route, path]) => [
      route,
      at(path, { cookie }),
    ]);
    return {
      ...Object.fromEntries(pages),
      '/': at('/'),
      '/openapi.json': at('/openapi.json'),
      '/.well-known/dropleaf.json': at('/.well-known/dropleaf.json'),
      '/docs': at('/docs'),
      '/llms.txt': at('/llms.txt'),
      '/.well-known/agent-skills/index.json': at('/.well-known/agent-skills/index.json'),
      '/.well-known/agent-skills/dropleaf/SKILL.md': at('/.well-known/agent-skills/dropleaf/SKILL.md'),
      '/cli.mjs': at('/cli.mjs'),
      '/favicon.ico': at('/favicon.ico'),
      '/apple-touch-icon.png': at('/apple-touch-icon.png'),
      '/manifest.webmanifest': at('/manifest.webmanifest'),
      '/assets/:name': at(createTestPages().assets.pathOf('style.css')),
      '/api/onboard': at('/api/onboard'),
      '/api/auth/poll': at(`/api/auth/poll?token=${poll_token}`),
      '/api/me': at('/api/me', token),
      '/api/tokens': at('/api/tokens', token),
      '/api/drops': at('/api/drops', token),
      '/api/drops/:slug': at(`/api/drops/${slug}`, token),
      '/api/drops/:slug/versions': at(`/api/drops/${slug}/versions`, token),
      '/api/drops/:slug/v/:n': at(`/api/drops/${slug}/v/1`, token),
      '/api/drops/:slug/views': at(`/api/drops/${slug}/views`, token),
      '/api/drops/:slug/diff': at(`/api/drops/${slug}/diff?from=1`, token),
      '/api/drops/:slug/html': at(`/api/drops/${slug}/html`, token),
      '/api/drops/:slug/v/:n/html': at(`/api/drops/${slug}/v/1/html`, token),
      '/sign-in': at('/sign-in'),
      '/sign-in/browser': at('/sign-in/browser'),
      '/sign-in/github/callback': at(returning.callback, { cookie: returning.person.cookie }),
      '/sign-in/local': at('/sign-in/local', { cookie: returning.person.cookie }),
      '/sign-in/approve': at('/sign-in/approve', { cookie: decide.cookie }),
      '/sign-in/done': at('/sign-in/done', { cookie: done.cookie }),
      '/p/:slug': at(`/p/${slug}`),
      '/p/:slug/raw': at(`/p/${slug}/raw`),
      '/p/:slug/versions': at(`/p/${slug}/versions`),
      '/p/:slug/latest': at(`/p/${slug}/latest`),
      '/p/:slug/download': at(`/p/${slug}/download`),
      '/p/:slug/print': at(`/p/${slug}/print`),
      '/p/:slug/qr.svg': at(`/p/${slug}/qr.svg`),
      '/p/:slug/card.png': at(`/p/${slug}/card.png`),
      '/oembed': at(`/oembed?url=${encodeURIComponent(`${service.config.BASE_URL}/p/${slug}`)}`),
      '/report/:slug': at(`/report/${slug}`),
      '/robots.txt': at('/robots.txt'),
      '/.well-known/security.txt': at('/.well-known/security.txt'),
      '/healthz': at('/healthz'),
      '/readyz': at('/readyz'),
    };
  }
});
