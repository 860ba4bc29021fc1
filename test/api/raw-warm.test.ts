import { expect } from 'chai';
import { type Answer, lasting } from '../support/client.ts';
import { withSuffix } from '../support/proxied.ts';
import { useService } from '../support/service.ts';
import { exchange, requestHead } from '../support/socket.ts';

const html = `<!doctype html><title>t</title>${'<p>the same words again and again</p>'.repeat(200)}`;
const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';
const topLevel = { 'sec-fetch-dest': 'document', 'user-agent': browser };

describe('GET /p/{slug}/raw of a page in memory', () => {
  const service = useService({ CONTENT_ORIGIN: 'https://*.drops.test' });

  /** A drop with two versions, rendered; nothing of it is in memory. */
  async function coldDrop() {
    const { owner, slug } = await service.newDrop({ html: `${html}<p>first` });
    await owner.put(slug, { html: `${html}<p>second` });
    await service.settle();
    const viewer = await service.get(`/p/${slug}`);
    const [, host = '', id = ''] = /https:\/\/([^/]+)\/p\/[^"]*?id=([\w-]+)/.exec(viewer.text) ?? [];
    const path = `/p/${slug}/raw`;
    const { etag = '' } = (await service.get(path)).headers;
    await service.restart();
    return { owner, slug, path, id, host, etag };
  }

  /** A drop whose latest version is in memory. */
  async function warmDrop() {
    const drop = await coldDrop();
    await warm(drop);
    return drop;
  }

  /** On the scale-out engine a web process uses its memory once it is registered. */
  async function warm({ path, slug }: { path: string; slug: string }): Promise<void> {
    await service.eventually(async () => {
      await service.get(path);
      expect(service.services.pages.getCachedWithBody(slug, null, 'identity'), 'in memory').to.be.an(
        'object',
      );
    });
  }

  const seen = ({ status, bytes, ...answer }: Answer) => {
    const { 'x-request-id': _, ...headers } = lasting({ status, bytes, ...answer });
    return { status, headers, text: bytes.toString('latin1') };
  };

  type Drop = Awaited<ReturnType<typeof coldDrop>>;
  type Case = readonly [
    what: string,
    ask: (drop: Drop) => { query?: string; headers?: Record<string, string> },
  ];
  const cases: Case[] = [
    ['without Accept-Encoding', () => ({})],
    ['brotli', () => ({ headers: { 'accept-encoding': 'gzip, deflate, br, zstd' } })],
    ['gzip', () => ({ headers: { 'accept-encoding': 'gzip' } })],
    ['by its number', () => ({ query: '?v=2' })],
    ['an older version', () => ({ query: '?v=1' })],
    ["the frame's address", ({ id }) => ({ query: `?v=2&id=${id}` })],
    ["the frame's address in another order", ({ id }) => ({ query: `?id=${id}&v=2` })],
    ['the id of another version', ({ id }) => ({ query: `?v=1&id=${id}` })],
    ['an invalid number', () => ({ query: '?v=02' })],
    ['a repeated number', () => ({ query: '?v=2&v=2' })],
    ['a version that does not exist', () => ({ query: '?v=9' })],
    ['an unknown parameter', () => ({ query: '?utm_source=x' })],
    ['an empty query', () => ({ query: '?' })],
    ['If-None-Match', ({ etag }) => ({ headers: { 'if-none-match': etag } })],
    ['If-None-Match: *', () => ({ headers: { 'if-none-match': '*' } })],
    ['If-None-Match, with a suffix', ({ etag }) => ({ headers: { 'if-none-match': withSuffix(etag) } })],
    ['If-None-Match, weak', ({ etag }) => ({ headers: { 'if-none-match': `"x", W/${etag}` } })],
    [
      'If-None-Match of another encoding',
      ({ etag }) => ({ headers: { 'if-none-match': etag, 'accept-encoding': 'br' } }),
    ],
    ["the drop's own host", ({ host }) => ({ headers: { host } })],
    ["the frame on the drop's own host", ({ host, id }) => ({ query: `?v=2&id=${id}`, headers: { host } })],
    ["another drop's host", () => ({ headers: { host: 'other.drops.test' } })],
    ['Connection: close', () => ({ headers: { connection: 'close' } })],
  ];
  for (const [what, ask] of cases) {
    it(`answers as the first time: ${what}`, async () => {
      const drop = await coldDrop();
      const { query = '', headers = {} } = ask(drop);
      const get = () => service.get(drop.path + query, { headers });
      const first = seen(await get());
      await warm(drop);
      expect(seen(await get())).to.deep.equal(first);
    });
  }

  it('each top-level open counts as a view; the frame, programs and bots do not', async () => {
    const { owner, slug, path, id } = await warmDrop();
    const visits = [topLevel, topLevel, { ...topLevel, purpose: 'prefetch' }, { 'user-agent': 'curl/8' }];
    for (const headers of visits) expect((await service.get(path, { headers })).status).to.equal(200);
    await service.get(`${path}?v=2&id=${id}`, { headers: topLevel });
    await service.settle();
    // `coldDrop` looked at the viewer once.
    expect((await owner.get(`/api/drops/${slug}`)).body.view_count).to.equal(3);
  });

  for (const [what, request, status] of [
    ['two Host headers', (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n`, 400],
    ['no Host', (path: string) => `GET ${path} HTTP/1.1\r\n\r\n`, 400],
    ['an unknown Expect', (path: string) => requestHead('GET', path, { expect: 'x' }), 417],
    [
      '201 headers',
      (path: string) =>
        requestHead('GET', path, Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x-${n}`, '']))),
      431,
    ],
    ['POST', (path: string) => requestHead('POST', path, { 'content-length': '0' }), 405],
    ['a slash at the end', (path: string) => requestHead('GET', `${path}/`, {}), 308],
    ['an absolute URL', (path: string) => requestHead('GET', `http://localhost${path}`, {}), 200],
    [
      "an absolute URL of a drop's host",
      (path: string) => requestHead('GET', `http://x.drops.test${path}`, {}),
      400,
    ],
    ['HTTP/1.0', (path: string) => `GET ${path} HTTP/1.0\r\n\r\n`, 200],
    ['a body', (path: string) => `${requestHead('GET', path, { 'content-length': '3' })}abc`, 200],
  ] as const) {
    it(`${what}: ${status}`, async () => {
      const { path } = await warmDrop();
      const answer = await exchange(service.url, request(path));
      expect(answer.status).to.equal(status);
      expect(answer.headers['content-security-policy']).to.match(/^sandbox /);
    });
  }

  it('requests that are sent at once over one connection are answered in order', async () => {
    const { path, etag } = await warmDrop();
    const connection = await service.connect();
    const get = (to: string, headers = {}) => service.head('GET', to, headers);
    const again = get(path, { 'if-none-match': etag });
    const missing = get('/p/nosuchslug00/raw');
    const all = [get(path), get(path), get('/healthz'), again, missing, get(path), get(path), again];
    await connection.send(all.join(''));
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push((await connection.answer()).status);
    connection.close();
    expect(statuses).to.deep.equal([200, 200, 200, 304, 404, 200, 200, 304]);
  });
});
