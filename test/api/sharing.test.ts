import { expect } from 'chai';
import { inParallel } from '../contract/records.ts';
import type { RequestOptions } from '../support/client.ts';
import { expectError } from '../support/expect.ts';
import { noLimits } from '../support/no-limits.ts';
import { useOwner, useService, useServices } from '../support/service.ts';

const ada = 'ada@example.org';
const bob = 'bob@example.org';
const notNamed = 'people is for access named: send access: "named", too';

/** docs/decisions/drops.md, Who may read. */
describe('Who may read a drop', () => {
  const service = useService(noLimits);
  const owner = useOwner(service);

  const patch = (slug: string, body: object, options: RequestOptions = {}) =>
    owner.request('PATCH', `/api/drops/${slug}`, { body, ...options });
  const read = async (slug: string) => (await owner.get(`/api/drops/${slug}`)).body;
  const sharingOf = async (slug: string) => {
    const { access, people } = await read(slug);
    return { access, people };
  };
  const named = (people: readonly string[] = [ada]) => owner.create({ access: 'named', people });

  it('everybody with the address, unless it says otherwise: then answers have neither access nor people', async () => {
    for (const fields of [{}, { access: 'link' }]) {
      const drop = await owner.create(fields);
      for (const body of [drop, await read(drop.slug), (await owner.put(drop.slug)).body])
        expect(body).to.not.have.any.keys('access', 'people', 'warnings');
    }
    expect((await owner.get('/api/me')).body).to.not.have.property('default_access');
  });

  it('members, or people who are named: as POST says it, in every answer with the drop', async () => {
    const members = await owner.create({ access: 'members' });
    expect(members).to.include({ access: 'members' }).and.not.have.property('people');
    const people = [ada, '@example.org', 'group:/Staff $1, of Größe'];
    const drop = await owner.create({ access: 'named', people });
    expect(drop).to.deep.include({ access: 'named', people });
    expect(await read(drop.slug)).to.deep.include({ access: 'named', people });
    const { data } = (await owner.get('/api/drops')).body;
    expect(data.map(({ access, people }) => [access, people])).to.have.deep.members([
      ['named', people],
      ['members', undefined],
    ]);
    const nobody = await owner.create({ access: 'named' });
    expect(nobody).to.deep.include({ access: 'named', people: [] });
  });

  it('entries are in lower case, without blanks around them, and each once; names of groups stay as they are', async () => {
    const sent = [' Ada@Example.ORG\t', ada, '@EXAMPLE.org', 'group:Staff', 'group:staff', '\ngroup:Staff'];
    const drop = await named(sent);
    expect(drop.people).to.deep.equal([ada, '@example.org', 'group:Staff', 'group:staff']);
    const added = await patch(drop.slug, { people_add: ['ADA@example.org', 'ß.x@example.org'.slice(2)] });
    expect(added.body.people).to.deep.equal([...(drop.people ?? []), 'x@example.org']);
  });

  it('PATCH and PUT change it; what is left out stays; who leaves named leaves the list behind', async () => {
    const { slug } = await named();
    expect((await patch(slug, { title: 'New' })).body).to.deep.include({ access: 'named', people: [ada] });
    expect((await owner.put(slug)).body).to.deep.include({ access: 'named', people: [ada] });
    expect((await patch(slug, { people: [bob] })).body.people).to.deep.equal([bob]);
    expect((await patch(slug, { people: [] })).body.people).to.deep.equal([]);
    const put = await owner.put(slug, { people: [ada, bob] });
    expect(put.body).to.deep.include({ latest_version: 3, people: [ada, bob] });
    for (const access of ['members', 'link']) {
      await patch(slug, { access: 'named', people: [ada] });
      expect((await patch(slug, { access })).body).to.not.have.property('people');
      expect((await patch(slug, { access: 'named' })).body).to.deep.include({ access: 'named', people: [] });
    }
  });

  it('people_add and people_remove: of the list as it is, or as people says it; who is removed is not added', async () => {
    const { slug } = await named();
    const peopleAfter = async (body: object) => (await patch(slug, body)).body.people;
    expect(await peopleAfter({ people_add: [bob, 'group:staff', ada] })).to.deep.equal([
      ada,
      bob,
      'group:staff',
    ]);
    expect(await peopleAfter({ people_remove: [ada, 'nobody@example.org'] })).to.deep.equal([
      bob,
      'group:staff',
    ]);
    expect(await peopleAfter({ people_add: [ada], people_remove: [ada, bob] })).to.deep.equal([
      'group:staff',
    ]);
    const all = { people: [ada], people_add: [bob], people_remove: [ada] };
    expect(await peopleAfter(all)).to.deep.equal([bob]);
    const version = await owner.put(slug, { people_add: [ada] });
    expect(version.body).to.deep.include({ latest_version: 2, people: [bob, ada] });
    const { slug: open } = await owner.create();
    const opened = await patch(open, { access: 'named', people_add: [ada], people_remove: [bob] });
    expect(opened.body).to.deep.include({ access: 'named', people: [ada] });
  });

  it('people of a drop that has or gets another access: 400, and nothing changes', async () => {
    const drops = [await owner.create(), await owner.create({ access: 'members' }), await named()];
    for (const [at, { warnings: _, ...drop }] of drops.entries()) {
      const other = at === 2 ? { access: 'members' } : {};
      for (const field of ['people', 'people_add', 'people_remove'])
        for (const send of [patch, owner.put]) {
          const answer = await send(drop.slug, { title: 'New', ...other, [field]: [ada] });
          expect(expectError(answer, 400, 'invalid_arg').field).to.equal('people');
          expect(answer.body.error.message).to.equal(notNamed);
        }
      expect(await read(drop.slug)).to.deep.equal(drop);
    }
    for (const fields of [{ people: [ada] }, { people: [] }, { access: 'link', people: [ada] }])
      expect(expectError(await owner.post(fields), 400, 'invalid_arg').field).to.equal('people');
  });

  it('100 entries of 254 characters; one more is 400 with max_items, also by people_add', async () => {
    const longest = Array.from(
      { length: 100 },
      (_, n) => `${String(n).padStart(3, '0')}${'x'.repeat(239)}@example.org`,
    );
    expect(longest[0]).to.have.length(254);
    const drop = await named(longest);
    expect(await sharingOf(drop.slug)).to.deep.equal({ access: 'named', people: longest });
    const rest = await owner.put(drop.slug, { people_remove: longest, people_add: [ada] });
    expect(rest.body.people).to.deep.equal([ada]);
    await patch(drop.slug, { people: longest });
    const tooMany = await patch(drop.slug, { people_add: [ada] });
    expect(expectError(tooMany, 400, 'invalid_arg')).to.include({ field: 'people', max_items: 100 });
    expect(tooMany.body.error.message).to.include('(got 101)').and.include('@example.org');
    expect((await patch(drop.slug, { people_add: [longest[7]] })).status, 'it stands there').to.equal(200);
    const swapped = await patch(drop.slug, { people_add: [ada], people_remove: [longest[0]] });
    expect(swapped.body.people).to.have.length(100).and.include(ada);
  });

  it('20 people who are added at the same time are all on the list, also beside other changes and versions', async () => {
    const { slug } = await named([]);
    const people = Array.from({ length: 20 }, (_, n) => `p${n}@example.org`);
    await inParallel(20, async (n) => {
      const change = { people_add: [people[n] ?? ''] };
      const answer = n % 5 === 4 ? await owner.put(slug, change) : await patch(slug, change);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.people).to.include(people[n]);
    });
    const { people: listed, latest_version } = await read(slug);
    expect(listed).to.have.members(people);
    expect(latest_version).to.equal(5);
  });

  it('If-Match is kept: a stale one is 412, before it is known whether people can be named', async () => {
    const { slug } = await named();
    const { headers } = await patch(slug, { title: 'New' });
    for (const body of [{ people_add: [bob] }, { people: [bob] }, { access: 'link' }, { access: 'named' }]) {
      const stale = await patch(slug, body, { headers: { 'if-match': '"1"' } });
      expect(expectError(stale, 412, 'version_conflict').etag).to.equal(headers.etag);
    }
    const { slug: open } = await owner.create();
    await patch(open, { title: 'New' });
    const early = await patch(open, { people_add: [bob] }, { headers: { 'if-match': '"1"' } });
    expectError(early, 412, 'version_conflict');
    const current = { headers: { 'if-match': headers.etag ?? '' } };
    expect((await patch(slug, { people_add: [bob] }, current)).body.people).to.deep.equal([ada, bob]);
    const outcomes = await inParallel(8, async (n) => {
      const { etag = '' } = (await owner.get(`/api/drops/${slug}`)).headers;
      const added = await patch(
        slug,
        { people_add: [`${n}@example.org`] },
        { headers: { 'if-match': etag } },
      );
      return added.status;
    });
    expect(outcomes.every((status) => [200, 412].includes(status))).to.equal(true);
    const won = outcomes.filter((status) => status === 200).length;
    expect((await read(slug)).people).to.have.length(2 + won);
  });

  it('a restored version has the access of now; a repeated request with one key adds and publishes once', async () => {
    const { slug } = await owner.create();
    const body = { html: '<p>Two', access: 'named', people: [ada] };
    const keyed = { body, headers: { 'idempotency-key': 'k1' } };
    await owner.request('PUT', `/api/drops/${slug}`, keyed);
    await patch(slug, { people_add: [bob] });
    const restored = await owner.request('POST', `/api/drops/${slug}/v/1/restore`);
    expect(restored.body).to.deep.include({ latest_version: 3, access: 'named', people: [ada, bob] });
    const repeated = await owner.request('PUT', `/api/drops/${slug}`, keyed);
    expect(repeated.headers['idempotency-replayed']).to.equal('true');
    expect(repeated.body).to.deep.include({ latest_version: 3, people: [ada, bob] });
    const make = {
      body: { title: 'A', html: '<p>', access: 'members' },
      headers: { 'idempotency-key': 'k2' },
    };
    const made = await owner.request('POST', '/api/drops', make);
    const again = await owner.request('POST', '/api/drops', make);
    expect(again.body).to.deep.equal(made.body);
    const other = { ...make, body: { ...make.body, access: 'link' } };
    expectError(await owner.request('POST', '/api/drops', other), 422, 'idempotency_key_reused');
    const refused = {
      body: { title: 'A', html: '<p>', people: [ada] },
      headers: { 'idempotency-key': 'k3' },
    };
    expectError(await owner.request('POST', '/api/drops', refused), 400, 'invalid_arg');
    const right = { ...refused, body: { ...refused.body, access: 'named' } };
    expect((await owner.request('POST', '/api/drops', right)).status, 'the key is free').to.equal(201);
  });

  it('a passcode stays whatever the access is', async () => {
    const { slug } = await owner.create({ passcode: 'open sesame', access: 'named', people: [ada] });
    for (const access of ['members', 'link', 'named'])
      expect((await patch(slug, { access })).body).to.include({ locked: true });
    const opened = await owner.request('POST', `/api/drops/${slug}/passcode`, { body: { passcode: '' } });
    expect(opened.body).to.include({ locked: false, access: 'named' });
    expect((await patch(slug, { access: 'link' })).body).to.include({ locked: false });
  });

  it('of a drop that was taken down it stays: 403', async () => {
    const { slug, ...drop } = await named();
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'phishing' });
    for (const body of [{ people_add: [bob] }, { people: [bob] }, { access: 'link' }])
      expectError(await patch(slug, body), 403, 'forbidden');
    expect(await sharingOf(slug)).to.deep.equal({ access: 'named', people: drop.people });
  });

  describe('of a document as the body', () => {
    const send = (method: string, path: string, query: string) =>
      owner.request(method, `${path}?${query}`, {
        raw: '<title>T</title>',
        headers: { 'content-type': 'text/html' },
      });

    it('access and people, separated by commas, are in the query', async () => {
      const made = await send('POST', '/api/drops', 'access=named&people=Ada@example.org,%20@example.org');
      expect(made.body).to.deep.include({ access: 'named', people: [ada, '@example.org'] });
      const path = `/api/drops/${made.body.slug}`;
      expect((await send('PUT', path, 'people=group%3Astaff')).body.people).to.deep.equal(['group:staff']);
      expect((await send('PUT', path, 'title=New')).body.people).to.deep.equal(['group:staff']);
      expect((await send('PUT', path, 'people=')).body.people).to.deep.equal([]);
      expect((await send('PUT', path, 'access=link')).body).to.not.have.any.keys('access', 'people');
    });

    it('wrong ones are 400 with their names, and people_add is no parameter', async () => {
      for (const [query, field] of [
        ['access=public', 'access'],
        ['access=named&people=a@b.org,b', 'people[1]'],
        ['access=named&people=a@b.org,', 'people[1]'],
        ['people=a@b.org', 'people'],
        ['access=named&people=a@b.org&people=b@b.org', 'people'],
      ] as const)
        expect(expectError(await send('POST', '/api/drops', query), 400, 'invalid_arg').field).to.equal(
          field,
        );
      const ignored = await send('POST', '/api/drops', 'access=members&people_add=a@b.org');
      expect(ignored.body).to.include({ access: 'members' });
      expect(ignored.body.warnings?.[0]).to.include('people_add');
    });
  });

  describe('of a new drop that is sent without it', () => {
    const start = useServices();

    it('is that of the account, until the request says it', async () => {
      const { accounts } = service.services;
      for (const access of ['members', 'named', 'link'] as const) {
        await accounts.setDefaultAccess({ accountId: owner.userId }, access);
        const { access: made } = await owner.create();
        expect(made).to.equal(access === 'link' ? undefined : access);
        expect((await owner.get('/api/me')).body.default_access).to.equal(made);
      }
      await accounts.setDefaultAccess({ accountId: owner.userId }, 'members');
      expect(await owner.create({ access: 'link' })).to.not.have.property('access');
      expect(expectError(await owner.post({ people: [ada] }), 400, 'invalid_arg').field).to.equal('people');
      await accounts.setDefaultAccess({ accountId: owner.userId }, 'named');
      expect(await owner.create({ people: [ada] })).to.deep.include({ access: 'named', people: [ada] });
      await accounts.setDefaultAccess({ accountId: owner.userId }, null);
      expect(await owner.create()).to.not.have.property('access');
    });

    it('is that of the service, if the account has none; existing drops stay', async () => {
      const { slug } = await owner.create();
      const other = await start({ env: { DEFAULT_ACCESS: 'members' } });
      const theirs = await other.newOwner();
      expect(await theirs.create()).to.include({ access: 'members' });
      expect((await theirs.get('/api/me')).body.default_access).to.equal('members');
      await other.services.accounts.setDefaultAccess({ accountId: theirs.userId }, 'link');
      expect(await theirs.create()).to.not.have.property('access');
      expect(await read(slug)).to.not.have.property('access');
    });
  });

  describe('where nobody who signs in can be one of the people', () => {
    const start = useServices();
    const github = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'secret' };
    const oidc = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };

    it('answers to writes of a drop that names people have a warning', async () => {
      const drop = await named();
      const { slug } = drop;
      const wanted = /^people are named by verified addresses and groups, which nobody who signs in here has/;
      const answers = [await owner.put(slug), await patch(slug, { people_add: [bob] })];
      for (const { warnings = [] } of [drop, ...answers.map(({ body }) => body)]) {
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.match(wanted);
      }
      expect(await read(slug)).to.not.have.property('warnings');
      for (const body of [{ people: [] }, { access: 'members' }, { access: 'link' }])
        expect((await patch(slug, body)).body).to.not.have.property('warnings');
    });

    it('with GitHub alone it is there unless SHARING is named; with a provider that says addresses, never', async () => {
      for (const [env, isThere] of [
        [github, true],
        [{ ...github, SHARING: 'named' }, false],
        [{ ...github, SHARING: 'named', SIGN_IN: 'local' }, true],
        [{ ...oidc, SIGN_IN: 'local,oidc' }, false],
      ] as const) {
        const other = await start({ env });
        const { warnings } = await (await other.newOwner()).create({ access: 'named', people: [ada] });
        expect(warnings !== undefined, JSON.stringify(env)).to.equal(isThere);
      }
    });
  });
});
