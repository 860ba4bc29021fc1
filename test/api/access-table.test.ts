import { expect } from 'chai';
import { identify, restrict } from '../support/access.ts';
import { type Answer, lasting } from '../support/client.ts';
import { openDashboard, openOperator } from '../support/dashboard.ts';
import { routesWith } from '../support/description.ts';
import { noLimits } from '../support/no-limits.ts';
import { type Owner, useService } from '../support/service.ts';
import {
  hasRight,
  headersOf,
  type Mode,
  modes,
  type Name,
  needsPasscode,
  ofOwners,
  type Row,
  rows,
  type Target,
  unknown,
  type Who,
} from './access-rows.ts';

describe('Who may open which path of a drop', () => {
  const service = useService(noLimits);
  const everybody: Who[] = [{ name: 'nobody', token: undefined, cookie: '' }];
  const targets: Target[] = [];

  async function addPerson(name: Name, claims: Parameters<typeof identify>[2] = {}, owner?: Owner) {
    const person = owner ?? (await service.newOwner());
    await identify(service, person, claims);
    const { cookie } = await openDashboard(service, person);
    everybody.push({ name, token: person.token, cookie });
    return person;
  }

  async function addTarget(owner: Owner, access: Target['access'], isLocked: boolean): Promise<void> {
    const html = '<!doctype html><title>SECRET</title><p>SECRET';
    const texts = { title: 'SECRET', description: 'SECRET', context: 'SECRET', html, comments: 'anyone' };
    const { slug } = await owner.create({ ...texts, ...(isLocked && { passcode: 'open-sesame' }) });
    await owner.put(slug, { html, context: 'SECRET' });
    const people = access === 'named' ? ['ada@team.example', '@lab.example', 'group:Design'] : null;
    await restrict(service, owner, slug, { access, people });
    const { version } = await service.services.pages.find(slug, 1);
    targets.push({ slug, id: version?.id ?? '', access, isLocked });
  }

  before(async function () {
    this.timeout(60_000);
    const { owner: operator } = await openOperator(service);
    await addPerson('operator', {}, operator);
    const owner = await addPerson('owner');
    await addPerson('member', { email: 'ada@other.example', groups: ['design', 'Designers'] });
    await addPerson('by address', { email: 'ada@team.example' });
    await addPerson('by domain', { email: 'bob@lab.example' });
    await addPerson('by group', { groups: ['Design'] });
    const gone = await addPerson('suspended', { email: 'cy@lab.example' });
    await service.services.moderation.suspend(await service.accountOf(gone), { by: 'root', reason: null });
    for (const access of ['link', 'members', 'named'] as const)
      for (const isLocked of [false, true]) await addTarget(owner, access, isLocked);
    await service.settle();
  });

  function send(
    row: Row,
    slug: string,
    id: string,
    who: Who,
    mode: Mode,
    more: { method?: string; headers?: Record<string, string> } = {},
  ) {
    const { method = row.method ?? 'GET', headers = {} } = more;
    const isForm = row.form !== undefined;
    return service.request(method, row.path(slug, id).replace('BASE', encodeURIComponent(service.url)), {
      ...(mode === 'program' ? { token: who.token } : {}),
      ...(isForm && { raw: row.form }),
      headers: {
        ...headersOf[mode],
        ...(mode !== 'program' && who.cookie !== '' && { cookie: who.cookie }),
        ...(isForm && { 'content-type': 'application/x-www-form-urlencoded', origin: service.url }),
        ...headers,
      },
    });
  }

  /** The answer as anybody sees it, but for what differs in each answer. */
  function shown(answer: Answer<unknown>, slug: string) {
    const { 'x-request-id': _, ...headers } = lasting(answer);
    const { status, text } = answer;
    // A QR code is drawn of the address.
    const drawn = headers['content-type']?.startsWith('image/svg') && { ...headers, 'content-length': '' };
    const parts = drawn ? { status, headers: drawn } : { status, headers, text };
    return JSON.parse(JSON.stringify(parts).replaceAll(slug, 'SLUG')) as object;
  }

  /** What a slug that nothing has is answered: once for all drops. */
  const ofUnknown = new Map<string, object>();

  async function shownOfUnknown(row: Row, who: Who, mode: Mode, more: { method: string }): Promise<object> {
    const key = `${rows.indexOf(row)} ${who.name} ${mode} ${more.method}`;
    const known =
      ofUnknown.get(key) ?? shown(await send(row, unknown, '0'.repeat(32), who, mode, more), unknown);
    ofUnknown.set(key, known);
    return known;
  }

  async function expectUnknown(row: Row, target: Target, who: Who, mode: Mode, label: string): Promise<void> {
    const { slug, id } = target;
    const methods = row.form === undefined ? ['GET', 'HEAD'] : ['POST'];
    for (const method of methods) {
      const more = { method, headers: { 'if-none-match': '*' } };
      const there = await send(row, slug, id, who, mode, more);
      expect(shown(there, slug), label).to.deep.equal(await shownOfUnknown(row, who, mode, more));
    }
  }

  function expectKeptNowhere({ headers }: Answer<unknown>, label: string): void {
    expect(headers['cache-control'], label).to.be.oneOf(['private, no-store', 'no-store']);
    for (const name of ['etag', 'cache-tag', 'surrogate-key', 'last-modified'])
      expect(headers[name], `${name}: ${label}`).to.equal(undefined);
  }

  async function check(row: Row, target: Target, who: Who, mode: Mode): Promise<void> {
    const { slug, id, access, isLocked } = target;
    const isRestricted = access !== 'link';
    const label = `${who.name}, ${mode}: ${access}${isLocked ? ', locked' : ''}`;
    const isFound = !(row.opens === 'nobody' && isRestricted) && hasRight(row, who, target, mode);
    const isPerson = mode === 'navigation' && row.opens !== 'nobody';
    if (row.opens === 'alike' || (!isFound && !isPerson)) return expectUnknown(row, target, who, mode, label);
    const answer = await send(row, slug, id, who, mode, { headers: { 'if-none-match': '*' } });
    if (isRestricted) expectKeptNowhere(answer, label);
    if (!isFound) return expectRefusal(row, target, answer, label);
    if (needsPasscode(row, who, target, mode)) return expectLocked(row, answer, mode, label);
    expectOpen(row, isRestricted, answer, label);
  }

  function expectOpen(row: Row, isRestricted: boolean, answer: Answer<unknown>, label: string): void {
    const { form, takesToken } = row;
    expect(answer.text, label).to.not.match(/You cannot open this page|Open in a tab/);
    if (form !== undefined) expect(answer.status, label).to.not.equal(404);
    else if (isRestricted) expect(answer.status, label).to.equal(200);
    else expect(answer.status, label).to.be.oneOf([200, 304]);
    if (isRestricted && takesToken) expect(answer.text, label).to.include('SECRET');
  }

  function expectRefusal({ refusal }: Row, { slug }: Target, answer: Answer<unknown>, label: string): void {
    expect(answer.status, label).to.equal(refusal);
    expect(answer.text, label).to.not.match(/SECRET/);
    if (refusal === 303) expect(answer.headers.location, label).to.match(new RegExp(`^/p/${slug}(\\?|$)`));
    else expect(answer.text, label).to.match(/You cannot open this page|Open in a tab/);
  }

  function expectLocked(
    { locked = 403, path }: Row,
    answer: Answer<unknown>,
    mode: Mode,
    label: string,
  ): void {
    const isViewer = /^\/p\/x(\?|$)/.test(path('x', ''));
    expect(answer.text, label).to.not.match(/SECRET/);
    if (mode === 'navigation') expect(answer.status, label).to.equal(locked);
    else expect(answer.status, label).to.equal(isViewer ? 200 : 403);
  }

  it('the table has every route whose path names a drop of anybody', () => {
    const { routes } = routesWith();
    const routesOfDrops = routes
      .filter(({ path }) => /:slug/.test(path) && !ofOwners.test(path))
      .map(({ method, path }) => `${method} ${path}`);
    const known = rows.flatMap(({ route }) => route ?? []);
    expect([...routesOfDrops, 'GET /oembed']).to.have.members(known);
    expect(routes.some(({ method, path }) => `${method} ${path}` === 'GET /oembed')).to.equal(true);
  });

  for (const row of rows)
    it(`${row.method ?? 'GET'} ${row.path('SLUG', 'ID')}`, async function () {
      this.timeout(120_000);
      for (const target of targets)
        for (const who of everybody) for (const mode of modes) await check(row, target, who, mode);
    });
});
