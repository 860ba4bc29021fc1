import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { RequestOptions } from '../support/client.ts';
import { expectDrop, expectError } from '../support/expect.ts';
import { noLimits } from '../support/no-limits.ts';
import { useService } from '../support/service.ts';

const page = '<!doctype html><title>Sales &amp; costs</title><p>Grüße';

describe('A text/html body', () => {
  const service = useService(noLimits);

  async function scene() {
    const owner = await service.newOwner();
    const send = (method: string, path: string, raw: string | Uint8Array, options: RequestOptions = {}) =>
      owner.request(method, path, {
        raw,
        ...options,
        headers: { 'content-type': 'text/html', ...options.headers },
      });
    return {
      owner,
      post: (raw: string | Uint8Array, query = '', options?: RequestOptions) =>
        send('POST', `/api/drops${query}`, raw, options),
      put: (slug: string, raw: string | Uint8Array, query = '', options?: RequestOptions) =>
        send('PUT', `/api/drops/${slug}${query}`, raw, options),
    };
  }

  it('POST: 201; the document is kept byte for byte, and its title is that of the drop', async () => {
    const { post } = await scene();
    const bytes = Buffer.from(`\ufeff${page}\r\n\0`);
    const { status, headers, body } = await post(bytes);
    expect(status).to.equal(201);
    expectDrop(body);
    expect(headers.location).to.equal(`/api/drops/${body.slug}`);
    expect(body).to.include({ title: 'Sales & costs', latest_version: 1, locked: false });
    expect(body).to.not.have.property('description');
    const raw = await service.get(`/p/${body.slug}/raw`);
    expect(raw.text.replace(/<meta name="viewport".*?<\/style>/, '')).to.equal(bytes.toString());
  });

  it('POST: title, description and metadata are in the query; unknown parameters are ignored', async () => {
    const { post } = await scene();
    const query = '?title=A%20b+c&description=%C3%A9&metadata.project=x&metadata.__proto__=y&titel=no';
    const { body } = await post(page, query);
    expect(body).to.include({ title: 'A b c', description: 'é' });
    expect(Object.entries(body.metadata)).to.deep.equal([
      ['project', 'x'],
      ['__proto__', 'y'],
    ]);
  });

  it('PUT: 200 with the next version; what is not in the query stays, also the title', async () => {
    const { owner, put } = await scene();
    const { slug } = await owner.create({
      title: 'Old',
      description: 'd',
      metadata: { a: 'b' },
      context: 'c',
    });
    const { status, body } = await put(slug, page);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ title: 'Old', description: 'd', metadata: { a: 'b' }, latest_version: 2 });
    expect((await owner.get(`/api/drops/${slug}/v/2`)).body).to.include({ context: null });
    const second = await put(slug, page, '?title=New&description=&metadata.c=d');
    expect(second.body).to.deep.include({ title: 'New', metadata: { c: 'd' }, latest_version: 3 });
    expect(second.body).to.not.have.property('description');
  });

  for (const headers of [
    { 'content-type': 'TEXT/HTML' },
    { 'content-type': 'text/html; charset=utf-8' },
    { 'content-type': 'text/html;charset="UTF-8"' },
    { 'content-length': '', 'transfer-encoding': 'chunked' },
  ]) {
    it(`${JSON.stringify(headers)}: legal`, async () => {
      const { post } = await scene();
      expect((await post(page, '', { headers })).status).to.equal(201);
    });
  }

  for (const [name, headers, header] of [
    ['UTF-16', { 'content-type': 'text/html; charset=utf-16' }, 'Content-Type'],
    ['application/xhtml+xml', { 'content-type': 'application/xhtml+xml' }, 'Content-Type'],
    ['text/htmlx', { 'content-type': 'text/htmlx' }, 'Content-Type'],
    ['compressed', { 'content-encoding': 'gzip' }, 'Content-Encoding'],
  ] as const) {
    it(`${name}: 415 says what is accepted`, async () => {
      const { owner, post, put } = await scene();
      const { slug } = await owner.create();
      for (const answer of [
        await post(gzipSync(page), '', { headers }),
        await put(slug, gzipSync(page), '', { headers }),
      ])
        expect(expectError(answer, 415, 'invalid_json').header).to.equal(header);
    });
  }

  it('bytes that are not UTF-8: 400 invalid_arg names field and offset', async () => {
    const { owner, post, put } = await scene();
    const { slug } = await owner.create();
    for (const [bytes, offset] of [
      [Buffer.from('<title>Gr\xfc\xdfe</title>', 'latin1'), 9],
      [Buffer.from('\ufefftext', 'utf16le'), 0],
      [Buffer.concat([Buffer.from('<p>\ufffd'), Buffer.from([0xe2, 0x82])]), 6],
    ] as const)
      for (const answer of [await post(bytes), await put(slug, bytes)])
        expect(expectError(answer, 400, 'invalid_arg')).to.deep.include({ field: 'html', offset });
  });

  it('no bytes: 400 html_required, also with a title', async () => {
    const { owner, post, put } = await scene();
    const { slug } = await owner.create();
    for (const answer of [
      await post(''),
      await post('', '?title=x'),
      await put(slug, ''),
      await owner.request('POST', '/api/drops', { headers: { 'content-type': 'text/html' } }),
    ])
      expect(expectError(answer, 400, 'html_required').field).to.equal('html');
  });

  it('2 MiB: accepted; a byte more: 400 html_too_large, and 3 MB before they arrive', async () => {
    const { owner, post } = await scene();
    const full = Buffer.alloc(2_097_152, page.padEnd(100));
    expect((await post(full)).status).to.equal(201);
    const details = expectError(
      await post(Buffer.concat([full, full.subarray(0, 1)])),
      400,
      'html_too_large',
    );
    expect(details).to.deep.include({ field: 'html', max_bytes: 2_097_152 });
    const head = { 'content-type': 'text/html', authorization: `Bearer ${owner.token}` };
    const headOnly = await service.sendHead('POST', '/api/drops', { ...head, 'content-length': '3000000' });
    expectError(headOnly, 400, 'html_too_large');
    const headers = { 'content-length': '', 'transfer-encoding': 'chunked' };
    expectError(await post(Buffer.alloc(3_000_000, 'x'), '', { headers }), 400, 'html_too_large');
  });

  for (const [query, code, field] of [
    ['?title=a&title=b', 'invalid_arg', 'title'],
    ['?description=a&description=a', 'invalid_arg', 'description'],
    ['?metadata.a=b&metadata.a=c', 'invalid_arg', 'metadata.a'],
    ['?metadata.-a=b', 'invalid_arg', 'metadata.-a'],
    ['?passcode=secret-word', 'invalid_arg', 'passcode'],
    ['?context=why', 'invalid_arg', 'context'],
    ['?title=%20', 'title_required', 'title'],
    [`?title=${'x'.repeat(201)}`, 'title_too_long', 'title'],
    ['?title=a%00', 'invalid_arg', 'title'],
    ['?title=%ff', 'invalid_arg', 'query'],
  ] as const) {
    it(`${query.slice(0, 40)}: 400 ${code}`, async () => {
      const { owner, post, put } = await scene();
      const { slug } = await owner.create();
      for (const answer of [await post(page, query), await put(slug, page, query)]) {
        expect(expectError(answer, 400, code).field).to.equal(field);
        expect(answer.text).to.not.include('secret-word');
      }
      expect((await owner.get(`/api/drops/${slug}`)).body.latest_version).to.equal(1);
    });
  }

  it('a JSON body takes nothing from the query', async () => {
    const owner = await service.newOwner();
    const body = { title: 'Body', html: 'x' };
    const { status, body: drop } = await owner.request('POST', '/api/drops?title=Q&passcode=abcd', { body });
    expect(status).to.equal(201);
    expect(drop).to.include({ title: 'Body', locked: false });
  });

  it('PATCH of a text/html body: 415 names application/json alone', async () => {
    const { owner } = await scene();
    const { slug } = await owner.create();
    const headers = { 'content-type': 'text/html' };
    const answer = await owner.request('PATCH', `/api/drops/${slug}`, { raw: page, headers });
    expect(expectError(answer, 415, 'invalid_json').accepted).to.equal('application/json');
  });

  it('a POST without any title: 400 title_required says how to give one', async () => {
    const { post } = await scene();
    for (const html of ['<p>no title', '<title> </title>', '<svg><title>x</title></svg>']) {
      const answer = await post(html);
      expect(expectError(answer, 400, 'title_required').field).to.equal('title');
      expect(answer.body.error.message).to.include('<title>').and.to.include('?title=');
    }
  });

  it('a long title is cut to the limit, wherever it is in a large head', async () => {
    const { post } = await scene();
    const long = `<style>${'x'.repeat(1_000_000)}</style><title>${'😀 '.repeat(300)}</title>`;
    const { status, body } = await post(long);
    expect(status).to.equal(201);
    expect([...body.title]).to.have.length(199);
  });
});
