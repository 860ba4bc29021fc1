import { expect } from 'chai';
import { unavailable } from '../../shared/domain/errors.ts';
import { methodsOf } from '../../shared/util/methods.ts';
import { expectError, expectErrorPage } from '../support/expect.ts';
import { createGate } from '../support/gate.ts';
import { useServiceOfEach } from '../support/service.ts';

const down = () =>
  unavailable('The database is down.', 3, { cause: new Error('connection refused'), isDown: true });

describe('GET /p/{slug}/raw while the database is down', () => {
  const gate = createGate();
  const service = useServiceOfEach(
    { EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://127.0.0.1:9/' }, // where s-maxage is a day
    (engine) => ({
      ...engine,
      drops: gate.wrap(engine.drops),
      pageChanges: { ...methodsOf(engine.pageChanges), isCurrent: () => false }, // the last read is too long ago
    }),
  );
  afterEach(() => gate.open());

  async function readPage(fields: object = {}) {
    const { owner, slug } = await service.newDrop({ html: '<p>Read before', ...fields });
    const before = await service.get(`/p/${slug}/raw`);
    return { owner, slug, before };
  }

  it('a page in memory that was public within the last 60 s is served, with s-maxage=4', async () => {
    const { slug, before } = await readPage();
    expect(before.headers['cache-control']).to.equal('public, max-age=0, s-maxage=86400');
    gate.refuse(down());
    service.clock.advance(60_000);
    const during = await service.get(`/p/${slug}/raw`);
    expect(during.status).to.equal(200);
    expect(during.bytes.equals(before.bytes)).to.equal(true);
    expect(during.headers['cache-control']).to.equal('public, max-age=0, s-maxage=4');
    for (const name of ['etag', 'vary', 'cache-tag', 'content-security-policy'])
      expect(during.headers[name], name).to.equal(before.headers[name]);
    const headers = { 'if-none-match': before.headers.etag ?? '' };
    expect((await service.get(`/p/${slug}/raw`, { headers })).status).to.equal(304);
  });

  it('503 with Retry-After for a page in memory in another encoding, or read more than 60 s ago', async () => {
    const { slug } = await readPage();
    gate.refuse(down());
    const compressed = await service.get(`/p/${slug}/raw`, { headers: { 'accept-encoding': 'br' } });
    const details = expectError(compressed, 503, 'unavailable');
    expect(details).to.deep.equal({ retry_after_seconds: 3 });
    expect(compressed.headers['retry-after']).to.equal('3');
    service.clock.advance(60_001);
    expectError(await service.get(`/p/${slug}/raw`), 503, 'unavailable');
    expectErrorPage(await service.view(`/p/${slug}/raw`), 503, 'unavailable');
  });

  it('the cause is logged once a minute for all requests, its stack at debug alone, and neither is shown', async () => {
    gate.refuse(down());
    const owner = await service.newOwner();
    const refusals = () => service.logs.filter((line) => line.includes('connection refused'));
    for (let n = 0; n < 5; n++) {
      const answer = await owner.get('/api/drops');
      expectError(answer, 503, 'unavailable');
      expect(answer.text).to.not.include('refused');
    }
    service.clock.advance(60_000);
    expectError(await owner.get('/api/drops'), 503, 'unavailable');
    const shown = refusals().filter((line) => !line.startsWith('debug '));
    expect(shown.map((line) => line.split(' ')[0])).to.deep.equal(['warn', 'warn']);
    expect(shown[1]).to.include('count: 5').and.not.include('    at ');
    expect(refusals().filter((line) => line.startsWith('debug ') && line.includes('    at '))).to.have.length(
      6,
    );
  });

  it('503 for a locked page even with the passcode, which may have changed', async () => {
    const { slug } = await readPage({ passcode: 'open-sesame' });
    const { frame, cookie } = await service.enter(slug, 'open-sesame');
    expect((await service.get(frame)).status).to.equal(200);
    gate.refuse(down());
    expectError(await service.get(frame), 503, 'unavailable');
    expectError(await service.get(`/p/${slug}/raw`, { headers: { cookie } }), 503, 'unavailable');
  });

  it('views count, and caching is as before when the database is back', async () => {
    const { owner, slug } = await readPage();
    gate.refuse(down());
    expect((await service.view(`/p/${slug}/raw`)).status).to.equal(200);
    gate.open();
    await service.settle();
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(1);
    const after = await service.get(`/p/${slug}/raw`);
    expect(after.headers['cache-control']).to.equal('public, max-age=0, s-maxage=86400');
  });
});
