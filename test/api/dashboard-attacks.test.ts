import { expect } from 'chai';
import { type Dashboard, dashboardPathsOf, openDashboard, openOperator } from '../support/dashboard.ts';
import { multipart } from '../support/multipart.ts';
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

/** Every page and form of the dashboard, also those that are added later. */
describe('The dashboard against other sites', () => {
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

  /** Sends a form with the person's form token, unless `fields` has another, in the encoding that the form has. */
  function send(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    if (!/\/(new|new-version)$/.test(path)) return person.post(path, fields, { headers });
    const { type, body } = multipart({ form_token: person.formToken, ...fields });
    return service.request('POST', path, {
      raw: body,
      headers: {
        ...{ cookie: person.cookie, origin: service.url, 'sec-fetch-site': 'same-origin' },
        ...{ 'content-type': type, ...headers },
      },
    });
  }

  it('every form is refused from another origin, without or with a wrong form token, and changes nothing', async () => {
    const before = await readStored(service.config);
    const paths = pathsOf('POST');
    expect(paths).to.include.members(['/sign-out', '/account/sessions', `/operators/pages/${slug}/takedown`]);
    const origins = [
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      { origin: 'https://evil.example' },
      { origin: service.url.replace('127.0.0.1', 'localhost'), 'sec-fetch-site': 'same-site' },
      { origin: '', 'sec-fetch-site': 'cross-site' },
      { origin: '', 'sec-fetch-site': 'none' },
      { origin: '', 'sec-fetch-site': '' },
    ];
    const tokens = ['', 'x', stranger.formToken, person.formToken.slice(1), person.sessionId];
    for (const path of paths) {
      for (const headers of origins) {
        expect((await send(path, {}, headers)).status, `${path} ${JSON.stringify(headers)}`).to.equal(403);
      }
      for (const form_token of tokens) {
        expect((await send(path, { form_token })).status, `${path} ${form_token}`).to.equal(403);
      }
    }
    expect(await readStored(service.config)).to.deep.equal(before);
  });

  it('no form is accepted without a session: a person is sent to the sign-in, a script gets 401', async () => {
    const { formToken, owner } = person;
    const nobody = createPerson(service);
    const fields = { form_token: formToken };
    const authorization = `Bearer ${owner.token}`;
    for (const path of pathsOf('POST')) {
      const referer = `${service.url}/drops/${slug}?x=1`;
      const sent = await nobody.post(path, fields, { headers: { referer, authorization } });
      const next = new URLSearchParams({ next: `/drops/${slug}?x=1` });
      expect([sent.status, sent.headers.location], path).to.deep.equal([303, `/sign-in/browser?${next}`]);
      const foreign = await nobody.post(path, fields, { headers: { referer: 'https://evil.example/drops' } });
      expect(foreign.headers.location, path).to.equal('/sign-in/browser');
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
    const [account] = await service.services.moderation.findAccounts(person.owner.userId);
    await service.services.moderation.suspend(account ?? expect.fail(), { by: 'root', reason: null });
    await service.settle();
    const before = await readStored(service.config);
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
  });
});
