import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { type Dashboard, dashboardPathsOf, openDashboard, openOperator } from '../support/dashboard.ts';
import { routesWith } from '../support/description.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createPerson } from '../support/person.ts';
import { useService } from '../support/service.ts';
import { readStored } from '../support/stored.ts';

/** What an account that is suspended may still do. */
const allowedIfSuspended = [
  '/sign-out',
  '/account/sessions',
  '/account/tokens/:id/revoke',
  '/account/export',
];

/** The forms into which a person types nothing. */
const untypedForms = [
  '/sign-out',
  '/account/sessions',
  '/account/tokens/:id/revoke',
  '/account/export',
  '/operators/pages/:slug/inspect',
];

/** The forms that anybody may send, each with what it would do something with. */
const publicForms = [
  '/sign-in',
  '/sign-in/browser',
  '/sign-in/local',
  '/sign-in/approve',
  '/p/:slug',
  '/p/:slug/comments',
  '/report/:slug',
];

const hostileOrigins: readonly Readonly<Record<string, string>>[] = [
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' },
  { origin: '', 'sec-fetch-site': 'cross-site' },
  { origin: '', 'sec-fetch-site': 'same-site' },
  { origin: '', 'sec-fetch-site': 'none' },
  { origin: '', 'sec-fetch-site': '' },
];

/** The pages and forms are those of the table of routes: a new one is tested here before it has a test of its own. */
describe('Every page and form', () => {
  const service = useService({ CHANGES_PER_MINUTE: '1000', WRITES_PER_MINUTE: '1000' });
  let person: Dashboard;
  let stranger: Dashboard;
  let slug: string;
  let tokenId: string | undefined;

  before(async () => {
    [person, stranger] = [await openOperator(service), await openDashboard(service)];
    slug = (await person.owner.create()).slug;
    await person.owner.put(slug);
    tokenId = (await person.owner.get('/api/me')).body.token?.id;
    await service.settle();
  });

  const allPaths = (method: 'GET' | 'POST') => dashboardPathsOf(service, method, slug, tokenId);
  const pathsOf = (method: 'GET' | 'POST') => [...allPaths(method).values()];

  /** Sends a form in the encoding that it has. */
  function send(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
    { post, postParts } = person,
  ): Promise<Answer> {
    return (/\/(new|new-version)$/.test(path) ? postParts : post)(path, fields, { headers });
  }

  it('every form is refused from another origin, without or with a wrong form token, and changes nothing', async () => {
    const before = await readStored(service.config);
    const paths = pathsOf('POST');
    expect(paths).to.include.members(['/sign-out', '/account/sessions', `/operators/pages/${slug}/takedown`]);
    const tokens = ['', 'x', stranger.formToken, person.formToken.slice(1), person.sessionId];
    for (const path of paths) {
      for (const headers of hostileOrigins) {
        expect((await send(path, {}, headers)).status, `${path} ${JSON.stringify(headers)}`).to.equal(403);
      }
      for (const form_token of tokens) {
        expect((await send(path, { form_token })).status, `${path} ${form_token}`).to.equal(403);
      }
    }
    expect(await readStored(service.config)).to.deep.equal(before);
  });

  it('a form that anybody may send is refused from another origin', async () => {
    const forms = routesWith().routes.filter(
      ({ method, path, access }) => method === 'POST' && access === 'open' && !path.startsWith('/api/'),
    );
    const own = forms.filter(({ path }) => !/^\/(drops|comments|account|operators|sign-out)/.test(path));
    expect(own.map(({ path }) => path)).to.have.members(publicForms);
    for (const path of publicForms) {
      for (const headers of hostileOrigins) {
        const answer = await createPerson(service).post(path.replace(':slug', slug), {}, { headers });
        expectErrorPage(answer, 403, 'forbidden');
      }
    }
  });

  it('every form is accepted from a page of the service, also if the browser sends no Origin', async () => {
    const other = await openDashboard(service);
    for (const headers of [{}, { origin: '' }]) {
      for (const [route, path] of allPaths('POST')) {
        if (route.startsWith('/operators') || route === '/sign-out') continue;
        const { status } = await send(path, {}, headers, other);
        expect(status, path).to.not.be.oneOf([401, 403]);
      }
    }
  });

  it('every page is a document with one heading, a title and labelled fields, whose scripts are files of ours', async () => {
    for (const path of pathsOf('GET')) {
      const answer = await person.get(path);
      if (answer.status === 303 || answer.headers['content-disposition']) continue;
      const page = parsePage(answer.text);
      expect(page.mode, path).to.equal('no-quirks');
      expect(page.title, path).to.match(/^\S.* · Dropleaf$/);
      expect(page.all('h1'), path).to.have.length(1);
      expect(page.all('main'), path).to.have.length(1);
      expect(page.find('meta', { name: 'robots' })?.attributes.content, path).to.match(/noindex/);
      expect(answer.text, path).to.not.match(/<[^>]+\s(on\w+|style)=/);
      for (const { attributes } of page.all('script'))
        if (attributes.type !== 'application/json')
          expect(attributes.src, path).to.include(`${service.url}/assets/`);
      for (const form of page.all('form').filter(({ attributes }) => attributes.method === 'post'))
        expect(
          page.within(form, 'input').map(({ attributes }) => attributes.name),
          path,
        ).to.include('form_token');
    }
  });

  it('what an account has is 404 for another one, on every page and form about it, and stays as it is', async () => {
    await service.settle();
    const before = await readStored(service.config);
    const fields = { if_match: '1', title: 'Mine', passcode: 'mine-now', label: 'mine', html: '<p>Mine' };
    for (const [route, path] of allPaths('GET'))
      if (/^\/(drops\/:slug|account\/tokens\/:id)/.test(route))
        expectErrorPage(await stranger.get(path), 404, 'not_found');
    for (const [route, path] of allPaths('POST')) {
      if (!/^\/(drops\/:slug|account\/tokens\/:id)/.test(route)) continue;
      const answer = await send(path, fields, {}, stranger);
      // A deletion may be repeated: what does not exist is deleted.
      if (route === '/drops/:slug/delete') expect(answer.headers.location).to.equal('/drops?notice=deleted');
      else expectErrorPage(answer, 404, 'not_found');
    }
    await stranger.post('/drops/delete', { [`drop.${slug}`]: '2' });
    await service.settle();
    const { accounts: _, ...after } = await readStored(service.config); // the stranger's writes of the day are counted
    expect(before).to.deep.include(after);
  });

  it('about a drop: 404 for no such drop, 400 for what is no slug', async () => {
    for (const [route, path] of allPaths('GET')) {
      if (!route.includes(':slug')) continue;
      const at = (other: string) => person.get(path.replace(slug, other));
      if (!/\/(inspect|frame|source|close-reports)$/.test(route))
        expectErrorPage(await at('nothing-here'), 404, 'not_found');
      expectErrorPage(await at('a.b'), 400, 'invalid_slug');
    }
  });

  it('a form about a drop names the revision that the person saw: 400 without it, 412 for an older one', async () => {
    const before = await readStored(service.config);
    const fields = { title: 'Other', passcode: 'sesame', action: 'set', html: '<p>Other', key: 'k' };
    for (const [route, path] of allPaths('POST')) {
      if (!route.startsWith('/drops/:slug')) continue;
      if (route !== '/drops/:slug/edit') expect((await send(path, fields)).status, path).to.equal(400);
      const refused = await send(path, { ...fields, if_match: '1', shown: '{}' });
      expectErrorPage(refused, 412, 'version_conflict');
      expect(parsePage(refused.text).find('input', { name: 'if_match' })?.attributes.value).to.equal('2');
    }
    await service.settle();
    expect(await readStored(service.config)).to.deep.equal(before);
  });

  it('405 with the allowed methods for any other method', async () => {
    const [pages, forms] = [pathsOf('GET'), pathsOf('POST')];
    for (const path of new Set([...pages, ...forms, '/sign-in', '/sign-in/browser', `/report/${slug}`])) {
      const { status, headers } = await service.request('PUT', path, { headers: { cookie: person.cookie } });
      const isPage = pages.includes(path) || !forms.includes(path);
      const isForm = forms.includes(path) || !pages.includes(path);
      const allowed = [...(isPage ? ['GET', 'HEAD'] : []), ...(isForm ? ['POST'] : [])].join(', ');
      expect([status, headers.allow], path).to.deep.equal([405, allowed]);
    }
  });

  it('no form is accepted without a session: a person signs in, and what was typed waits; a script gets 401', async () => {
    const { formToken, owner } = person;
    const nobody = createPerson(service);
    const fields = { form_token: formToken };
    const authorization = `Bearer ${owner.token}`;
    for (const [route, path] of allPaths('POST')) {
      const referer = `${service.url}/drops/${slug}?x=1`;
      const sent = await nobody.post(path, fields, { headers: { referer, authorization } });
      const foreign = await nobody.post(path, fields, { headers: { referer: 'https://evil.example/drops' } });
      if (untypedForms.includes(route)) {
        const next = new URLSearchParams({ next: `/drops/${slug}?x=1` });
        expect([sent.status, sent.headers.location], path).to.deep.equal([303, `/sign-in/browser?${next}`]);
        expect(foreign.headers.location, path).to.equal('/sign-in/browser');
      } else {
        expectErrorPage(sent, 401, 'unauthorized');
        const { attributes } = parsePage(sent.text).find('input', { name: 'kept_form' }) ?? expect.fail(path);
        expect(attributes.value).to.match(/^[\w.-]+$/);
        expect(sent.text).to.not.include(formToken);
      }
      const script = await nobody.post(path, fields, {
        headers: { 'sec-fetch-mode': 'cors', accept: '*/*' },
      });
      expect(script.status, path).to.equal(401);
      for (const { headers } of [sent, script]) expect(headers['cache-control'], path).to.include('no-store');
    }
  });

  it('every page leads to the sign-in without a session, is never stored, and cannot be framed', async () => {
    const nobody = createPerson(service);
    for (const path of pathsOf('GET')) {
      const refused = await nobody.get(`${path}?a=b`);
      const next = new URLSearchParams({ next: `${path}?a=b` });
      expect([refused.status, refused.headers.location], path).to.deep.equal([
        303,
        `/sign-in/browser?${next}`,
      ]);
      const shown = await person.get(path);
      expect(shown.status, path).to.be.oneOf([200, 303, 400, 404]);
      for (const { headers } of [refused, shown]) {
        expect(headers['cache-control'], path).to.include('no-store');
        const isDownload = headers['content-disposition']?.startsWith('attachment') ?? false;
        const policy = isDownload ? 'sandbox' : "frame-ancestors 'none'";
        expect(headers['content-security-policy'], path).to.include(policy);
        expect(headers['cross-origin-opener-policy'], path).to.equal('same-origin');
        expect(headers['cross-origin-resource-policy'], path).to.equal('same-origin');
        expect(headers['access-control-allow-origin'], path).to.equal(undefined);
      }
    }
  });

  it('a GET with a session changes nothing', async () => {
    const before = await readStored(service.config);
    for (const path of [...pathsOf('GET'), ...pathsOf('POST'), '/sign-in/browser?next=/drops', '/']) {
      const query = new URLSearchParams({ form_token: person.formToken, end: 'others', decision: 'approve' });
      await person.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
    }
    await service.settle();
    expect(await readStored(service.config)).to.deep.equal(before);
  });

  it('a suspended account reads, and changes nothing but its sessions and tokens', async () => {
    const account = await service.accountOf(person.owner);
    await service.services.moderation.suspend(account, { by: 'root', reason: null });
    await service.settle();
    const before = await readStored(service.config);
    for (const route of allowedIfSuspended) expect(allPaths('POST').has(route), route).to.equal(true);
    for (const [route, path] of allPaths('POST')) {
      if (allowedIfSuspended.includes(route)) continue;
      const refused = await send(path);
      const isForOperators = route.startsWith('/operators'); // and a suspended account is no operator
      expect(refused.status, path).to.equal(isForOperators ? 404 : 403);
      if (!isForOperators) expect(refused.text, path).to.include('suspended');
    }
    for (const path of pathsOf('GET'))
      expect((await person.get(path)).status, path).to.be.oneOf([200, 303, 400, 404]);
    expect(await readStored(service.config)).to.deep.equal(before);
    for (const route of allowedIfSuspended.toReversed()) {
      const allowed = await send(allPaths('POST').get(route) ?? '', { end: 'others' });
      expect(allowed.status, route).to.be.oneOf([200, 303]);
    }
  });

  it('30 days after its last use a session has expired: pages lead to the sign-in and back, and no form is accepted', async () => {
    service.clock.advance(30 * 86_400_000);
    await service.settle();
    const before = await readStored(service.config);
    const referer = `${service.url}/account`;
    for (const [method, next] of [
      ['GET', null],
      ['POST', '/account'],
    ] as const) {
      for (const [route, path] of allPaths(method)) {
        const { status, headers } = next
          ? await send(path, {}, { referer }, stranger)
          : await stranger.get(path);
        const query = new URLSearchParams({ next: next ?? path });
        const isKept = next !== null && !untypedForms.includes(route);
        expect([status, headers.location], path).to.deep.equal(
          isKept ? [401, undefined] : [303, `/sign-in/browser?${query}`],
        );
        if (next === null) continue;
        const script = { referer, 'sec-fetch-mode': 'cors', accept: '*/*' };
        expectError(await send(path, {}, script, stranger), 401, 'unauthorized');
      }
    }
    expect(await readStored(service.config)).to.deep.equal(before);
  });
});
