import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { callEverything } from '../support/calls.ts';
import { expectDrop, expectError } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { rejectionOf } from '../support/rejection.ts';
import { type TestService, useOwner, useService } from '../support/service.ts';
import { readStored } from '../support/stored.ts';

const minute = 60_000;
const hour = 60 * minute;
const tenYears = 3_653 * 24 * hour;
const limits = { WRITES_PER_MINUTE: '100000', CHANGES_PER_MINUTE: '100000' };

describe('expires_at', () => {
  const service = useService(limits);
  const owner = useOwner(service);

  it('is set by POST, PUT and PATCH, stays if it is left out, and null removes it', async () => {
    const end = service.clock.now() + hour;
    const { slug, ...made } = await owner.create({ expires_at: end });
    expect(made.expires_at).to.equal(end);
    const patch = (body: object) => owner.request('PATCH', `/api/drops/${slug}`, { body });
    for (const [change, expected] of [
      [() => owner.put(slug), end],
      [() => patch({ title: 'New' }), end],
      [() => patch({ expires_at: null }), undefined],
      [() => owner.put(slug, { expires_at: end + 1 }), end + 1],
      [() => owner.put(slug, { expires_at: null }), undefined],
      [() => patch({ expires_at: end + 2 }), end + 2],
    ] as const) {
      const { status, body } = await change();
      expect(status).to.equal(200);
      expectDrop(body);
      expect(body.expires_at).to.equal(expected);
      expect((await owner.get(`/api/drops/${slug}`)).body.expires_at).to.equal(expected);
      expect((await owner.get('/api/drops')).body.data[0]?.expires_at).to.equal(expected);
    }
    expect(await owner.create()).to.not.have.property('expires_at');
  });

  it('may be the next millisecond, and at most 10 years ahead', async () => {
    for (const ahead of [1, tenYears]) {
      const end = service.clock.now() + ahead;
      expect((await owner.create({ expires_at: end })).expires_at).to.equal(end);
    }
  });

  it('400 invalid_arg for any other value, and nothing is written', async () => {
    const { slug } = await owner.create();
    const now = service.clock.now();
    const ofPost = [
      now,
      now - 1,
      0,
      -1,
      now + tenYears + 1,
      now + 0.5,
      1e300,
      `${now + hour}`,
      '7d',
      true,
      [],
    ];
    for (const [method, path, values] of [
      ['POST', '', [...ofPost, null]],
      ['PUT', `/${slug}`, ofPost],
      ['PATCH', `/${slug}`, ofPost],
    ] as const) {
      for (const value of values) {
        const body = { ...(method !== 'PATCH' && { title: 't', html: 'x' }), expires_at: value };
        const details = expectError(
          await owner.request(method, `/api/drops${path}`, { body }),
          400,
          'invalid_arg',
        );
        expect(details.field, `${method} ${value}`).to.equal('expires_at');
      }
    }
    const { data } = (await owner.get('/api/drops')).body;
    expect(data.map((drop) => [drop.slug, drop.latest_version])).to.deep.equal([[slug, 1]]);
  });

  it('is a query parameter of a text/html body', async () => {
    const end = service.clock.now() + hour;
    const send = (method: string, path: string) =>
      owner.request(method, `/api/drops${path}`, {
        raw: '<title>t</title>',
        headers: { 'content-type': 'text/html' },
      });
    const { status, body } = await send('POST', `?expires_at=${end}`);
    expect([status, body.expires_at]).to.deep.equal([201, end]);
    expect((await send('PUT', `/${body.slug}?expires_at=${end + 1}`)).body.expires_at).to.equal(end + 1);
    for (const bad of ['', 'null', '7d', '1e12', `${service.clock.now()}`, `${end}&expires_at=${end}`]) {
      const details = expectError(await send('POST', `?expires_at=${bad}`), 400, 'invalid_arg');
      expect(details.field, bad).to.equal('expires_at');
    }
  });
});

describe('A drop whose expires_at has come', () => {
  const service = useService(limits);
  const operator = { by: 'root', reason: 'x' };

  async function expiring(fields: object = {}) {
    const { owner, slug } = await service.newDrop({
      context: 'why',
      expires_at: service.clock.now() + hour,
      ...fields,
    });
    await owner.put(slug, { context: 'why' });
    return { owner, slug };
  }

  it('404 for its owner, in every call of the API', async () => {
    const { owner, slug } = await expiring();
    service.clock.advance(hour - 1);
    expect((await owner.get(`/api/drops/${slug}/v/1`)).status).to.equal(200);
    service.clock.advance(1);
    for (const answer of await callEverything(owner, slug)) expectError(answer, 404, 'not_found');
    const body = { expires_at: service.clock.now() + hour };
    expectError(await owner.request('PATCH', `/api/drops/${slug}`, { body }), 404, 'not_found');
  });

  for (const [what, fields] of [
    ['public', {}],
    ['locked', { passcode: 'open-sesame' }],
  ] as const) {
    it(`404 for everybody, also of a ${what} page that is in memory`, async () => {
      const { slug } = await expiring(fields);
      await service.settle();
      const paths = [
        `/p/${slug}`,
        `/p/${slug}?v=1`,
        `/p/${slug}/raw`,
        `/p/${slug}/raw?v=1`,
        `/report/${slug}`,
      ];
      service.clock.advance(hour - 1);
      for (const path of [...paths, ...paths])
        expect((await service.get(path)).status).to.equal(
          what === 'locked' && path.includes('/raw') ? 403 : 200,
        );
      service.clock.advance(1);
      for (const path of paths) expectError(await service.get(path), 404, 'not_found');
      const form = {
        raw: 'passcode=open-sesame',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      };
      for (const path of [`/p/${slug}`, `/report/${slug}`])
        expectError(await service.request('POST', path, form), 404, 'not_found');
    });
  }

  it('a repeated write is answered by what it did, not by when it is repeated', async () => {
    const owner = await service.newOwner();
    const body = { title: 't', html: 'x', expires_at: service.clock.now() + hour };
    const headers = { 'idempotency-key': 'expiring' };
    const post = () => owner.request('POST', '/api/drops', { body, headers });
    const { slug } = (await post()).body;
    service.clock.advance(hour - 1);
    const repeated = await post();
    expect([repeated.status, repeated.body.slug]).to.deep.equal([201, slug]);
    service.clock.advance(1);
    expectError(await post(), 404, 'not_found');
  });

  it('is in no list and no count', async () => {
    const { owner, slug } = await expiring({ metadata: { a: 'b' } });
    const { slug: other } = await owner.create({ metadata: { a: 'b' } });
    for (const [advance, slugs] of [
      [hour - 1, [other, slug]],
      [1, [other]],
    ] as const) {
      service.clock.advance(advance);
      expect((await owner.get('/api/me')).body.drop_count).to.equal(slugs.length);
      for (const query of ['', '?metadata.a=b', '?sortBy=updated_at']) {
        const { data, pagination } = (await owner.get(`/api/drops${query}`)).body;
        expect(data.map((drop) => drop.slug)).to.have.members(slugs);
        expect(pagination.total_items).to.equal(slugs.length);
      }
    }
  });

  it('is not found by operators', async () => {
    const { slug } = await expiring();
    service.clock.advance(hour);
    const { moderation } = service.services;
    for (const act of ['takeDown', 'restore'] as const)
      expect(await rejectionOf(moderation[act](slug, operator))).to.include({ code: 'not_found' });
    expect((await moderation.find(slug, operator)).drop).to.equal(null);
  });

  it('its data is removed by jobs, also after a restart', async () => {
    const { slug } = await expiring({ html: '<p>EXPIRED-SECRET' });
    await service.settle();
    const holds = async () => {
      const { drops = [], artefacts = [] } = await readStored(service.config);
      return [JSON.stringify(drops).includes(slug), artefacts.length > 0];
    };
    expect(await holds()).to.deep.equal([true, true]);
    service.clock.advance(hour);
    await service.restart();
    for (const pause of [minute, minute, minute]) {
      service.clock.advance(pause);
      await service.settle();
    }
    expect((await holds())[0]).to.equal(false);
  });
});

describe('Caching of a page that expires', () => {
  const purger = { EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://127.0.0.1:9/' };

  async function cacheControlAt(service: TestService, leftMs: number): Promise<string | undefined> {
    const { slug } = await service.newDrop({ expires_at: service.clock.now() + hour });
    await service.get(`/p/${slug}/raw`);
    service.clock.advance(hour - leftMs);
    const first = await service.get(`/p/${slug}/raw`);
    const etag = first.headers.etag ?? '';
    const again = await service.get(`/p/${slug}/raw`, { headers: { 'if-none-match': etag } });
    expect([first.status, again.status]).to.deep.equal([200, 304]);
    expect(again.headers['cache-control']).to.equal(first.headers['cache-control']);
    return first.headers['cache-control'];
  }

  for (const [what, settings, cases] of [
    [
      'with a purger',
      { ...purger, EDGE_TTL_SECONDS: '600' },
      [
        [660_000, 's-maxage=600'],
        [659_999, 's-maxage=600, proxy-revalidate'],
        [600_000, 's-maxage=600, proxy-revalidate'],
        [599_999, 's-maxage=599, proxy-revalidate'],
        [1_000, 's-maxage=1, proxy-revalidate'],
        [999, 's-maxage=0, proxy-revalidate'],
      ],
    ],
    [
      'without a purger',
      {},
      [
        [64_000, 's-maxage=4'],
        [63_999, 's-maxage=4, proxy-revalidate'],
        [4_999, 's-maxage=4, proxy-revalidate'],
      ],
    ],
  ] as const) {
    describe(what, () => {
      const service = useService({ ...settings, ...limits });
      for (const [leftMs, expected] of cases) {
        it(`${leftMs} ms before its end: ${expected}`, async () => {
          expect(await cacheControlAt(service, leftMs)).to.equal(`public, max-age=0, ${expected}`);
        });
      }
    });
  }
});

describe('A page that expires while the database is down', () => {
  const gate = createGate();
  after(() => gate.open());
  const service = useService({}, (engine) => ({
    ...engine,
    drops: gate.wrap(engine.drops),
    pageChanges: { ...methodsOf(engine.pageChanges), isCurrent: () => false },
  }));

  it('is served from memory until it expires', async () => {
    const { slug } = await service.newDrop({ expires_at: service.clock.now() + 3_000 });
    await service.get(`/p/${slug}/raw`);
    gate.refuse(unavailable('The database is down.', 1, { isDown: true }));
    const during = await service.get(`/p/${slug}/raw`);
    expect(during.status).to.equal(200);
    expect(during.headers['cache-control']).to.equal('public, max-age=0, s-maxage=3, proxy-revalidate');
    service.clock.advance(3_000);
    expectError(await service.get(`/p/${slug}/raw`), 503, 'unavailable');
  });
});
