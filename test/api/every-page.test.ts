import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import {
  type Dashboard,
  dashboardPathsOf,
  dashboardRoutes,
  fillRoute,
  openDashboard,
  openOperator,
} from '../support/dashboard.ts';
import { routesWith } from '../support/description.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createPerson } from '../support/person.ts';
import { useService } from '../support/service.ts';
import { itChangesNothing } from '../support/stored.ts';

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
  '/account/default-access',
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
  '/p/:slug/ask',
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

const table = routesWith({ OPERATORS: '0'.repeat(32) });
const pages = dashboardRoutes(table, 'GET');
const forms = dashboardRoutes(table, 'POST');

const isForOperators = (route: string) => route.startsWith('/operators');

/** The pages and forms are those of the table of routes: a new one is tested here before it has a test of its own. */
describe('Every page and form', () => {
  const service = useService({ CHANGES_PER_MINUTE: '1000', WRITES_PER_MINUTE: '1000' });
  let person: Dashboard;
  let stranger: Dashboard;
  let slug: string;
  let tokenId: string | undefined;

  before(async () => {
    person = await openOperator(service);
    stranger = await openDashboard(service);
    slug = (await person.owner.create()).slug;
    await person.owner.put(slug);
    tokenId = (await person.owner.get('/api/me')).body.token?.id;
    await service.settle();
  });

  const pathOf = (route: string) => fillRoute(route, slug, tokenId);

  /** Sends a form in the encoding that it has. */
  function send(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
    { post, postParts } = person,
  ): Promise<Answer> {
    const sendFields = /\/(new|new-version)$/.test(path) ? postParts : post;
    return sendFields(path, fields, { headers });
  }

  it('are those that the service has', () => {
    expect(dashboardPathsOf(service, 'GET', slug, tokenId)).to.deep.equal(pages.map(pathOf));
    expect(dashboardPathsOf(service, 'POST', slug, tokenId)).to.deep.equal(forms.map(pathOf));
    expect(forms).to.include.members(['/operators/pages/:slug/takedown', ...allowedIfSuspended]);
  });

  describe('a form is refused from another origin, without or with a wrong form token, and changes nothing', () => {
    itChangesNothing(service);
    for (const route of forms)
      it(route, async () => {
        for (const headers of hostileOrigins)
          expect((await send(pathOf(route), {}, headers)).status, JSON.stringify(headers)).to.equal(403);
        const tokens = ['', 'x', stranger.formToken, person.formToken.slice(1), person.sessionId];
        for (const form_token of tokens)
          expect((await send(pathOf(route), { form_token })).status, form_token).to.equal(403);
      });
  });

  describe('a form that anybody may send is refused from another origin', () => {
    it('all such forms are known', () => {
      const open = routesWith().routes.filter(
        ({ method, path, access }) => method === 'POST' && access === 'open' && !path.startsWith('/api/'),
      );
      const own = open.filter(({ path }) => !/^\/(drops|comments|account|operators|sign-out)/.test(path));
      expect(own.map(({ path }) => path)).to.have.members(publicForms);
    });

    for (const path of publicForms)
      it(path, async () => {
        for (const headers of hostileOrigins) {
          const answer = await createPerson(service).post(path.replace(':slug', slug), {}, { headers });
          expectErrorPage(answer, 403, 'forbidden');
        }
      });
  });

  describe('a form is accepted from a page of the service, also if the browser sends no Origin', () => {
    let other: Dashboard;
    before(async () => {
      other = await openDashboard(service);
    });
    for (const route of forms) {
      if (isForOperators(route) || route === '/sign-out') continue;
      it(route, async () => {
        for (const headers of [{}, { origin: '' }]) {
          const { status } = await send(pathOf(route), {}, headers, other);
          expect(status).to.not.be.oneOf([401, 403]);
        }
      });
    }
  });

  describe('a page is a document with one heading, a title and labelled fields, whose scripts are files of ours', () => {
    for (const route of pages)
      it(route, async () => {
        const answer = await person.get(pathOf(route));
        if (answer.status === 303 || answer.headers['content-disposition']) return;
        const page = parsePage(answer.text);
        expect(page.mode).to.equal('no-quirks');
        expect(page.title).to.match(/^\S.* · Dropleaf$/);
        expect(page.all('h1')).to.have.length(1);
        expect(page.all('main')).to.have.length(1);
        expect(page.find('meta', { name: 'robots' })?.attributes.content).to.match(/noindex/);
        expect(answer.text).to.not.match(/<[^>]+\s(on\w+|style)=/);
        for (const { attributes } of page.all('script'))
          if (attributes.type !== 'application/json')
            expect(attributes.src).to.include(`${service.url}/assets/`);
        for (const form of page.all('form').filter(({ attributes }) => attributes.method === 'post'))
          expect(page.within(form, 'input').map(({ attributes }) => attributes.name)).to.include(
            'form_token',
          );
      });
  });

  describe('what an account has is 404 for another one, and stays as it is', () => {
    itChangesNothing(service, { but: 'accounts' }); // the stranger's writes of the day are counted
    const isAboutOwn = (route: string) => /^\/(drops\/:slug|account\/tokens\/:id)/.test(route);
    const fields = { if_match: '1', title: 'Mine', passcode: 'mine-now', label: 'mine', html: '<p>Mine' };

    for (const route of pages.filter(isAboutOwn))
      it(`GET ${route}`, async () => {
        expectErrorPage(await stranger.get(pathOf(route)), 404, 'not_found');
      });

    for (const route of forms.filter(isAboutOwn))
      it(`POST ${route}`, async () => {
        const answer = await send(pathOf(route), fields, {}, stranger);
        // A deletion may be repeated: what does not exist is deleted.
        if (route === '/drops/:slug/delete')
          expect(answer.headers.location).to.equal('/drops?notice=deleted');
        else expectErrorPage(answer, 404, 'not_found');
      });

    it('POST /drops/delete with a chosen drop', async () => {
      await stranger.post('/drops/delete', { [`drop.${slug}`]: '2' });
    });
  });

  describe('about a drop: 404 for no such drop, 400 for what is no slug', () => {
    for (const route of pages.filter((path) => path.includes(':slug')))
      it(route, async () => {
        const at = (other: string) => person.get(fillRoute(route, other, tokenId));
        if (!/\/(inspect|frame|source|close-reports)$/.test(route))
          expectErrorPage(await at('nothing-here'), 404, 'not_found');
        expectErrorPage(await at('a.b'), 400, 'invalid_slug');
      });
  });

  describe('a form about a drop names the revision that the person saw: 400 without it, 412 for an older one', () => {
    itChangesNothing(service);
    const fields = {
      title: 'Other',
      passcode: 'sesame',
      action: 'set',
      html: '<p>Other',
      key: 'k',
      access: 'members',
    };
    for (const route of forms.filter((path) => path.startsWith('/drops/:slug')))
      it(route, async () => {
        if (route !== '/drops/:slug/edit') expect((await send(pathOf(route), fields)).status).to.equal(400);
        const refused = await send(pathOf(route), { ...fields, if_match: '1', shown: '{}' });
        expectErrorPage(refused, 412, 'version_conflict');
        expect(parsePage(refused.text).find('input', { name: 'if_match' })?.attributes.value).to.equal('2');
      });
  });

  describe('405 with the allowed methods for any other method', () => {
    for (const route of new Set([...pages, ...forms, '/sign-in', '/sign-in/browser', '/report/:slug']))
      it(route, async () => {
        const { cookie } = person;
        const { status, headers } = await service.request('PUT', pathOf(route), { headers: { cookie } });
        const isPage = pages.includes(route) || !forms.includes(route);
        const isForm = forms.includes(route) || !pages.includes(route);
        const allowed = [...(isPage ? ['GET', 'HEAD'] : []), ...(isForm ? ['POST'] : [])].join(', ');
        expect([status, headers.allow]).to.deep.equal([405, allowed]);
      });
  });

  describe('no form is accepted without a session: a person signs in, and what was typed waits; a script gets 401', () => {
    for (const route of forms)
      it(route, async () => {
        const path = pathOf(route);
        const nobody = createPerson(service);
        const fields = { form_token: person.formToken };
        const referer = `${service.url}/drops/${slug}?x=1`;
        const authorization = `Bearer ${person.owner.token}`;
        const sent = await nobody.post(path, fields, { headers: { referer, authorization } });
        if (untypedForms.includes(route)) {
          const next = new URLSearchParams({ next: `/drops/${slug}?x=1` });
          expect([sent.status, sent.headers.location]).to.deep.equal([303, `/sign-in/browser?${next}`]);
          const elsewhere = { referer: 'https://evil.example/drops' };
          const foreign = await nobody.post(path, fields, { headers: elsewhere });
          expect(foreign.headers.location).to.equal('/sign-in/browser');
        } else {
          expectErrorPage(sent, 401, 'unauthorized');
          const kept = parsePage(sent.text).find('input', { name: 'kept_form' });
          expect(kept?.attributes.value).to.match(/^[\w.-]+$/);
          expect(sent.text).to.not.include(person.formToken);
        }
        const headers = { 'sec-fetch-mode': 'cors', accept: '*/*' };
        const script = await nobody.post(path, fields, { headers });
        expect(script.status).to.equal(401);
        for (const answer of [sent, script]) expect(answer.headers['cache-control']).to.include('no-store');
      });
  });

  describe('a page leads to the sign-in without a session, is never stored, and cannot be framed', () => {
    for (const route of pages)
      it(route, async () => {
        const path = pathOf(route);
        const refused = await createPerson(service).get(`${path}?a=b`);
        const next = new URLSearchParams({ next: `${path}?a=b` });
        expect([refused.status, refused.headers.location]).to.deep.equal([303, `/sign-in/browser?${next}`]);
        const shown = await person.get(path);
        expect(shown.status).to.be.oneOf([200, 303, 400, 404]);
        for (const { headers } of [refused, shown]) {
          expect(headers['cache-control']).to.include('no-store');
          const isDownload = headers['content-disposition']?.startsWith('attachment') ?? false;
          const policy = isDownload ? 'sandbox' : "frame-ancestors 'none'";
          expect(headers['content-security-policy']).to.include(policy);
          expect(headers['cross-origin-opener-policy']).to.equal('same-origin');
          expect(headers['cross-origin-resource-policy']).to.equal('same-origin');
          expect(headers['access-control-allow-origin']).to.equal(undefined);
        }
      });
  });

  describe('a GET with a session changes nothing', () => {
    itChangesNothing(service);
    for (const route of new Set([...pages, ...forms, '/sign-in/browser?next=/drops', '/']))
      it(route, async () => {
        const { formToken } = person;
        const query = new URLSearchParams({ form_token: formToken, end: 'others', decision: 'approve' });
        await person.get(`${pathOf(route)}${route.includes('?') ? '&' : '?'}${query}`);
      });
  });

  describe('a suspended account', () => {
    before(async () => {
      const account = await service.accountOf(person.owner);
      await service.services.moderation.suspend(account, { by: 'root', reason: null });
    });

    describe('reads, and changes nothing', () => {
      itChangesNothing(service);
      for (const route of forms.filter((path) => !allowedIfSuspended.includes(path)))
        it(`POST ${route}`, async () => {
          const refused = await send(pathOf(route));
          // A suspended account is no operator.
          expect(refused.status).to.equal(isForOperators(route) ? 404 : 403);
          if (!isForOperators(route)) expect(refused.text).to.include('suspended');
        });

      for (const route of pages)
        it(`GET ${route}`, async () => {
          expect((await person.get(pathOf(route))).status).to.be.oneOf([200, 303, 400, 404]);
        });
    });

    describe('but its sessions and tokens', () => {
      for (const route of allowedIfSuspended.toReversed())
        it(route, async () => {
          expect((await send(pathOf(route), { end: 'others' })).status).to.be.oneOf([200, 303]);
        });
    });
  });

  describe('30 days after its last use a session has expired', () => {
    before(() => service.clock.advance(30 * 86_400_000));
    itChangesNothing(service);

    for (const route of pages)
      it(`${route} leads to the sign-in and back`, async () => {
        const { status, headers } = await stranger.get(pathOf(route));
        const next = new URLSearchParams({ next: pathOf(route) });
        expect([status, headers.location]).to.deep.equal([303, `/sign-in/browser?${next}`]);
      });

    for (const route of forms)
      it(`the form of ${route} is not accepted`, async () => {
        const referer = `${service.url}/account`;
        const { status, headers } = await send(pathOf(route), {}, { referer }, stranger);
        const expected = untypedForms.includes(route)
          ? [303, '/sign-in/browser?next=%2Faccount']
          : [401, undefined];
        expect([status, headers.location]).to.deep.equal(expected);
        const script = { referer, 'sec-fetch-mode': 'cors', accept: '*/*' };
        expectError(await send(pathOf(route), {}, script, stranger), 401, 'unauthorized');
      });
  });
});
