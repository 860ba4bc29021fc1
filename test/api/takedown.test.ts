import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import {
  contentSettings,
  createContentDrops,
  expectNoOrigin,
  expectNothing,
} from '../support/content-hosts.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { parsePage } from '../support/html.ts';
import { createLockedDrops, expectNoLeak, lockedDropSettings, secrets } from '../support/locked-drops.ts';
import { type TestService, useOwner, useService, useServices } from '../support/service.ts';

const operator = { by: 'root', reason: 'phishing' };
const queries = ['', '?v=1', '?v=2', '?v=9', '?v=x', '?utm_source=mail', '?g=grant'];

function expectTakenDown(answer: Answer<unknown>): void {
  expect(expectError(answer, 410, 'forbidden')).to.deep.equal({});
  expectNoLeak(answer);
  expect(answer.text).to.not.include('phishing');
}

function takeDown({ services }: TestService, slug: string) {
  return services.moderation.takeDown(slug, operator);
}

describe('A page that was taken down', () => {
  const startOwn = useServices();
  const service = useService(lockedDropSettings);
  const owner = useOwner(service);
  const { lockedDrop } = createLockedDrops(service);

  async function takenDown(fields: object = {}) {
    const { owner, slug } = await service.newDrop({ ...secrets, ...fields });
    await owner.put(slug, { html: secrets.html, context: secrets.context });
    const before = await service.get(`/p/${slug}/raw`);
    await takeDown(service, slug);
    return { owner, slug, before };
  }

  for (const path of ['', '/raw']) {
    it(`/p/{slug}${path} is 410 forbidden for every version, HEAD and ETag, and shows nothing of the page`, async () => {
      const { slug, before } = await takenDown();
      const { etag = '' } = before.headers;
      expect(etag).to.not.equal('');
      const conditions = [etag, `W/${etag}`, '*'].map((value) => ({ 'if-none-match': value }));
      for (const query of queries) {
        const address = `/p/${slug}${path}${query}`;
        for (const headers of [{}, ...conditions]) {
          const answer = await service.get(address, { headers });
          expectTakenDown(answer);
          if (path === '/raw')
            expect(answer.headers['content-security-policy']).to.match(/^sandbox allow-scripts /);
        }
        const head = await service.request('HEAD', address);
        expect([head.status, head.bytes.length]).to.deep.equal([410, 0]);
        expectNoLeak(head);
      }
    });
  }

  for (const path of ['', '/raw', '?v=1', '/raw?v=9']) {
    it(`a person who opens /p/{slug}${path} gets an error page that says so and shows nothing of the page`, async () => {
      const { slug } = await takenDown();
      const answer = await service.view(`/p/${slug}${path}`);
      expectErrorPage(answer, 410, 'forbidden');
      expectNoLeak(answer);
      const page = parsePage(answer.text);
      expect(page.title).to.match(/Page removed/);
      expect(page.find('iframe')).to.equal(undefined);
      for (const { attributes } of page.all('meta')) {
        expect(attributes.property ?? '').to.not.match(/^og:/);
        expect(attributes.name ?? '').to.not.match(/^twitter:|^description$/);
      }
    });
  }

  it('a locked page: 410 without the passcode form, also with the right passcode, a cookie or a grant', async () => {
    const { slug, address } = await lockedDrop();
    const { cookie, frame } = await service.enter(slug, 'open-sesame', { headers: address });
    await takeDown(service, slug);
    for (const path of [`/p/${slug}`, `/p/${slug}/raw`, frame]) {
      expectTakenDown(await service.get(path));
      expectTakenDown(await service.get(path, { headers: { cookie } }));
    }
    const tried = await service.request('POST', `/p/${slug}`, {
      raw: 'passcode=open-sesame',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: service.url },
    });
    expectTakenDown(tried);
    expect(tried.cookies).to.deep.equal([]);
  });

  it('a visit is not counted as a view', async () => {
    const { owner, slug } = await takenDown();
    await service.view(`/p/${slug}`);
    await service.view(`/p/${slug}/raw`);
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(0);
  });

  it('its owner still reads it in the API, and taken_down says when and why, until it is restored', async () => {
    const { slug } = await owner.create(secrets);
    await owner.create();
    const paths = ['', `/${slug}/versions`, `/${slug}/v/1`].map((path) => `/api/drops${path}`);
    const readAll = () => Promise.all(paths.map(async (path) => (await owner.get(path)).text));
    const drop = async () => (await owner.get(`/api/drops/${slug}`)).body;
    const before = await drop();
    const lists = await readAll();
    await takeDown(service, slug);
    const taken_down = { at: service.clock.now(), reason: 'phishing' };
    expect(await drop()).to.deep.equal({ ...before, taken_down });
    const list = (await owner.get('/api/drops')).body.data;
    expect(list.map((one) => one.taken_down)).to.have.deep.members([undefined, taken_down]);
    await service.services.moderation.restore(slug, operator);
    expect(await drop()).to.deep.equal(before);
    expect(await readAll()).to.deep.equal(lists);
  });

  it('its owner cannot change it, but an invalid body is still 400; every-call.test.ts has each call', async () => {
    const { owner, slug } = await takenDown();
    expectError(await owner.put(slug, { html: '' }), 400, 'html_required');
    expectError(await owner.put(slug), 403, 'forbidden');
    expect((await owner.get(`/api/drops/${slug}`)).body).to.include({
      title: secrets.title,
      latest_version: 2,
    });
  });

  it('its owner can delete it: then it is 404', async () => {
    const { owner, slug } = await takenDown();
    expect((await owner.request('DELETE', `/api/drops/${slug}`)).status).to.equal(204);
    expectError(await service.get(`/p/${slug}`), 404, 'not_found');
    expectError(await service.get(`/p/${slug}/raw`), 404, 'not_found');
    for (const act of [
      () => takeDown(service, slug),
      () => service.services.moderation.restore(slug, operator),
    ]) {
      expect(await act().catch((error: { code?: string }) => error.code)).to.equal('not_found');
    }
  });

  it('is shown again when it is restored, byte for byte and under the same ETag', async () => {
    const { owner, slug, before } = await takenDown();
    await service.services.moderation.restore(slug, operator);
    const after = await service.get(`/p/${slug}/raw`);
    expect(after.status).to.equal(200);
    expect(after.bytes.equals(before.bytes)).to.equal(true);
    expect(after.headers.etag).to.equal(before.headers.etag);
    expect((await service.view(`/p/${slug}`)).status).to.equal(200);
    expect((await owner.put(slug)).body.latest_version).to.equal(3);
  });

  it('stays 410 after a rendering that was under way is done', async () => {
    const { slug } = await owner.create({ html: `<p>${'long '.repeat(100_000)}` });
    const rendering = service.get(`/p/${slug}/raw`);
    await takeDown(service, slug);
    expect((await rendering).status).to.be.oneOf([200, 410]);
    await service.settle();
    expectTakenDown(await service.get(`/p/${slug}/raw`));
    await service.services.moderation.restore(slug, operator);
    expect((await service.get(`/p/${slug}/raw`)).status).to.equal(200);
  });

  it('stays 410 after a restart', async () => {
    const own = await startOwn();
    const { slug } = await (await own.newOwner()).create();
    await takeDown(own, slug);
    await own.restart();
    expectTakenDown(await own.get(`/p/${slug}/raw`));
  });

  it('a change that is refused does not count for WRITES_PER_DAY', async () => {
    const own = await startOwn({ env: { WRITES_PER_DAY: '2' } });
    const owner = await own.newOwner();
    const { slug } = await owner.create();
    await takeDown(own, slug);
    for (let n = 0; n < 3; n++) expectError(await owner.put(slug), 403, 'forbidden');
    expect((await owner.post()).status).to.equal(201);
  });
});

describe('A page on a content host that was taken down', () => {
  const service = useService(contentSettings);
  const { withDrop } = createContentDrops(service);

  it('is 410 on its host, in a sandbox without an origin, and 404 on the host of another drop', async () => {
    const one = await withDrop(secrets);
    const other = await withDrop();
    expect((await one.onHost()).status).to.equal(200);
    await takeDown(service, one.slug);
    for (const path of [one.frame.path, one.raw, `${one.raw}?v=9`]) {
      const answer = await one.onHost(path);
      expectTakenDown(answer);
      expectNoOrigin(answer);
    }
    expectNothing(await other.onHost(one.raw));
    expect((await other.onHost()).status).to.equal(200);
  });
});
