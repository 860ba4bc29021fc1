import { expect } from 'chai';
import type { Answer } from '../support/client.ts';
import { parsePage } from '../support/html.ts';
import { useService } from '../support/service.ts';
import { exchange } from '../support/socket.ts';

const noindex = 'noindex, nofollow';
const robotsOf = ({ headers }: Answer<unknown>) => headers['x-robots-tag'];
const metaOf = ({ text }: Answer<unknown>) =>
  parsePage(text).find('meta', { name: 'robots' })?.attributes.content;

describe('X-Robots-Tag', () => {
  describe('by default', () => {
    const service = useService();

    it('noindex, nofollow on pages, raw pages and 304, the API and its errors', async () => {
      const { owner, slug } = await service.newDrop();
      const { slug: locked } = await owner.create({ passcode: 'open-sesame' });
      const raw = await service.get(`/p/${slug}/raw`);
      const etag = raw.headers.etag ?? '';
      const answers: Record<string, Answer<unknown>> = {
        viewer: await service.get(`/p/${slug}`),
        'viewer HEAD': await service.request('HEAD', `/p/${slug}`),
        'viewer 405': await service.request('DELETE', `/p/${slug}`),
        'passcode form': await service.get(`/p/${locked}`),
        raw,
        'raw 304': await service.get(`/p/${slug}/raw`, { headers: { 'if-none-match': etag } }),
        'raw 403': await service.get(`/p/${locked}/raw`),
        'raw 404': await service.get('/p/nosuchslug00/raw'),
        'raw 405': await service.request('POST', `/p/${slug}/raw`),
        report: await service.get(`/report/${slug}`),
        'sign-in': await service.get('/sign-in'),
        home: await service.get('/'),
        '404': await service.get('/nowhere'),
        '404 page': await service.view('/nowhere'),
        '401': await service.get('/api/me'),
        api: await owner.get('/api/drops'),
        '417': await service.request('GET', '/', { headers: { expect: 'x' } }),
        "Node's 400": await exchange(service.url, 'GARBAGE\r\n\r\n'),
        "Node's 431": await exchange(
          service.url,
          `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
        ),
      };
      for (const [what, answer] of Object.entries(answers)) {
        expect(robotsOf(answer), `${what}: ${answer.status}`).to.equal(noindex);
      }
      expect(metaOf(answers.viewer ?? raw)).to.equal(noindex);
    });
  });

  describe('with INDEXABLE=true', () => {
    const service = useService({ INDEXABLE: 'true' });

    it('public viewer pages and the home page may be indexed, by header and by meta element', async () => {
      const { slug } = await (await service.newOwner()).create();
      for (const path of ['/', `/p/${slug}`]) {
        const answer = await service.get(path);
        expect(robotsOf(answer), path).to.equal(undefined);
        expect(metaOf(answer), path).to.equal('index, follow');
      }
    });

    it('a public raw page is indexed only as part of its viewer', async () => {
      const { slug } = await (await service.newOwner()).create();
      const raw = await service.get(`/p/${slug}/raw`);
      const etag = raw.headers.etag ?? '';
      const fresh = await service.get(`/p/${slug}/raw`, { headers: { 'if-none-match': etag } });
      expect(fresh.status).to.equal(304);
      for (const answer of [raw, fresh]) {
        expect(robotsOf(answer)).to.equal('noindex, nofollow, indexifembedded');
      }
    });

    it('locked pages, forms, errors and the API are not indexed', async () => {
      const { owner, slug } = await service.newDrop();
      const { slug: locked } = await owner.create({ passcode: 'open-sesame' });
      const { cookie, viewer, frame } = await service.enter(locked, 'open-sesame');
      const answers = [
        viewer,
        await service.get(frame),
        await service.get(`/p/${locked}/raw`, { headers: { cookie } }),
        await service.get(`/p/${locked}`),
        await service.get(`/p/${locked}/raw`),
        await service.get(`/p/${slug}?v=9`),
        await service.get(`/p/${slug}/raw?v=9`),
        await service.request('DELETE', `/p/${slug}`),
        await service.get('/p/nosuchslug00'),
        await service.get(`/report/${slug}`),
        await service.get('/sign-in'),
        await owner.get('/api/me'),
      ];
      for (const answer of answers) expect(robotsOf(answer), answer.text.slice(0, 200)).to.equal(noindex);
    });
  });
});

describe('GET /robots.txt', () => {
  const service = useService();

  it('excludes only the API, because crawlers must read the X-Robots-Tag of pages', async () => {
    const answer = await service.get('/robots.txt');
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.equal('text/plain; charset=utf-8');
    const rules = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules).to.deep.equal(['User-agent: *', 'Allow: /api/onboard', 'Disallow: /api/']);
  });
});
