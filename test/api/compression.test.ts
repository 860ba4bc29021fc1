import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { sendPage } from '../../api/http/send.ts';
import type { Answer } from '../support/client.ts';
import { longestTurnOf } from '../support/cpu.ts';
import { openDashboard } from '../support/dashboard.ts';
import { useServer } from '../support/listen.ts';
import { useService } from '../support/service.ts';

const decoders = { gzip: gunzipSync, br: brotliDecompressSync } as const;

const large = `<!doctype html><title>T</title>${'<p>Hi there'.repeat(1_000)}`;

describe('Compression of pages and JSON of ours', () => {
  const service = useService({ WRITES_PER_MINUTE: '1000' });

  /** A person with a token and drops. @returns asks as this person's browser and program at once */
  async function scene() {
    const dashboard = await openDashboard(service);
    const { owner } = dashboard;
    const { slug } = await owner.create({ html: large, comments: 'anyone' });
    for (let n = 0; n < 3; n++) await owner.create({ description: 'Long '.repeat(50) });
    const known = { cookie: dashboard.cookie, authorization: `Bearer ${owner.token}` };
    const ask = (path: string, headers: object = {}, method = 'GET') =>
      service.request(method, path, { headers: { ...known, ...headers } });
    return { dashboard, owner, slug, ask };
  }

  /** Without what is new in each answer: masks of form tokens, ids of forms, grants. */
  const steady = (text: string) =>
    text.replace(/value="[^"]*"/g, '').replace(/csp-[\w-]+|nonce-[\w+/=-]+/g, '');

  it('above 1 KB in the coding that the client prefers, with Vary and the length of what is sent, also for HEAD', async () => {
    const { slug, ask } = await scene();
    const html = { accept: 'text/html' };
    for (const [path, headers] of [
      ['/api/drops', {}], // before the views of pages, which a job adds to the counts in it
      ['/docs', html],
      ['/help', html],
      ['/sign-in', html],
      ['/drops', html],
      [`/drops/${slug}`, html],
      ['/comments', html],
      ['/account', html],
      [`/p/${slug}`, html],
      [`/p/${slug}/comments`, html],
      [`/report/${slug}`, html],
      ['/api/onboard', { accept: 'application/json' }],
    ] as const) {
      const plain = await ask(path, headers);
      expect([plain.status, plain.headers['content-encoding']], path).to.deep.equal([200, undefined]);
      expect(plain.bytes.length, path).to.be.above(1_024);
      expect(plain.headers.vary, path).to.match(/\bAccept-Encoding$/);
      for (const [accepted, coding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip', 'gzip'],
        ['*', 'gzip'],
        ['br;q=0.5, gzip', 'gzip'],
      ] as const) {
        const sent = { ...headers, 'accept-encoding': accepted };
        const answer = await ask(path, sent);
        expect(answer.headers['content-encoding'], `${path} ${accepted}`).to.equal(coding);
        expect(answer.headers['content-length']).to.equal(String(answer.bytes.length));
        expect(answer.bytes.length).to.be.below(plain.bytes.length * 0.6);
        expect(steady(decoders[coding](answer.bytes).toString()), path).to.equal(steady(plain.text));
        for (const name of ['vary', 'content-type', 'cache-control'])
          expect(answer.headers[name], `${path} ${name}`).to.equal(plain.headers[name]);
        const head = await ask(path, sent, 'HEAD');
        expect(head.bytes).to.have.length(0);
        expect(head.headers['content-encoding'], path).to.equal(coding);
        expect(Math.abs(Number(head.headers['content-length']) - answer.bytes.length), path).to.be.below(100);
      }
      for (const refused of ['identity', 'gzip;q=0, br;q=0', 'zstd', ''])
        expect((await ask(path, { ...headers, 'accept-encoding': refused })).headers).to.not.have.property(
          'content-encoding',
        );
    }
  });

  it('not what is small, has an ETag, or is a document of somebody: these come as they are', async () => {
    const { slug, owner, ask } = await scene();
    const metadata = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, 'x'.repeat(256)]));
    const { slug: tagged } = await owner.create({ metadata });
    for (const path of [
      '/healthz',
      '/api/me',
      `/p/${slug}/latest`,
      `/api/drops/${tagged}`,
      `/api/drops/${slug}/html`,
      `/api/drops/${slug}/v/1/html`,
      `/p/${slug}/download`,
      `/p/${slug}/print`,
      `/drops/${slug}/v/1/html`,
    ]) {
      const answer = await ask(path, { 'accept-encoding': 'gzip, br' });
      expect(answer.headers['content-encoding'], path).to.equal(undefined);
    }
    const { bytes, headers } = await ask(`/api/drops/${slug}/html`, { 'accept-encoding': 'gzip, br' });
    expect([bytes.toString(), headers['repr-digest'] !== undefined]).to.deep.equal([large, true]);
  });

  it('an answer of MCP comes as it is', async () => {
    const { owner } = await scene();
    const answer = await owner.request('POST', '/mcp', {
      headers: { accept: 'application/json, text/event-stream', 'accept-encoding': 'gzip, br' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    });
    expect([answer.status, answer.headers['content-encoding']]).to.deep.equal([200, undefined]);
    expect(answer.bytes.length).to.be.above(1_024);
  });

  it('form tokens have another mask in each answer; each is accepted, and one without a mask, too', async () => {
    const { dashboard } = await scene();
    const tokens = await Promise.all([1, 2, 3].map(() => tokenOf('/account')));
    expect(new Set(tokens).size).to.equal(3);
    expect(tokens.some((token) => token.includes(dashboard.formToken.slice(-20)))).to.equal(false);
    const send = (form_token: string) => dashboard.post('/account/sessions', { form_token, end: 'others' });
    for (const token of [...tokens, dashboard.formToken]) expect((await send(token)).status).to.equal(303);
    const [first = ''] = tokens;
    const [account, masked = ''] = first.split('.');
    const changed = `${masked.slice(0, -4)}${masked.at(-4) === 'A' ? 'B' : 'A'}${masked.slice(-3)}`;
    for (const wrong of [
      `${account}.${changed}`,
      first.slice(0, -1),
      `${account}.~`,
      masked,
      `${first}.x`,
      '~',
      '.~AA',
    ])
      expect((await send(wrong)).status, wrong).to.equal(403);

    async function tokenOf(path: string): Promise<string> {
      const { value } =
        (await dashboard.open(path)).page.find('input', { name: 'form_token' })?.attributes ?? {};
      return value ?? '';
    }
  });

  it('not a page of a session to which another site led; a public page is', async () => {
    const { slug, ask } = await scene();
    const from = (site: string) => ({
      accept: 'text/html',
      'accept-encoding': 'gzip',
      'sec-fetch-site': site,
    });
    for (const site of ['cross-site', 'same-site']) {
      expect((await ask('/drops?q=guess', from(site))).headers).to.not.have.property('content-encoding');
      expect((await ask(`/p/${slug}`, from(site))).headers['content-encoding']).to.equal('gzip');
    }
    for (const site of ['same-origin', 'none'])
      expect((await ask('/drops?q=guess', from(site))).headers['content-encoding']).to.equal('gzip');
  });

  it('100 at once are all answered, compressed or as they are, and the event loop stays free', async () => {
    const plain = (await service.get('/docs')).text;
    let answers: Answer[] = [];
    const ask = async () => {
      answers = await Promise.all(
        Array.from({ length: 100 }, () => service.get('/docs', { headers: { 'accept-encoding': 'gzip' } })),
      );
    };
    expect(await longestTurnOf(ask, 150)).to.be.below(150);
    const texts = answers.map(({ headers, bytes }) =>
      (headers['content-encoding'] === undefined ? bytes : gunzipSync(bytes)).toString(),
    );
    expect(texts.every((text) => text === plain)).to.equal(true);
    expect(answers.filter(({ headers }) => headers['content-encoding'] === 'gzip').length).to.be.above(30);
  });

  it('the form that approves a sign-in has another mask in each answer', async () => {
    const { dashboard } = await scene();
    const { body } = await service.request<{ code: string }>('POST', '/api/auth/start', { body: {} });
    const form = await dashboard.open(`/sign-in?code=${body.code}`);
    const shown = await dashboard.submit(form, {});
    const again = await dashboard.open('/sign-in/approve');
    const tokens = [shown, again].map(({ page }) => page.find('input', { name: 'token' })?.attributes.value);
    expect(tokens[0]).to.match(/^~/).and.not.equal(tokens[1]);
    expect((await dashboard.submit(shown, { decision: 'approve' })).text).to.match(/^Approved/);
  });
});

describe('An answer that comes too late while it is compressed', () => {
  const page = (html: string) => ({ html, csp: `default-src 'none'; report-to ${html}` });
  const server = useServer((_req, res) => {
    let waits = 50;
    /** The first page is ready after the second was sent, and before that is ready. */
    const compressAfter = () => () => {
      const ms = waits;
      waits += 50;
      return new Promise<null>((resolve) => setTimeout(() => resolve(null), ms));
    };
    const answer = Object.assign(res, { locals: { chooseCompression: compressAfter } });
    sendPage(answer, 200, page('first'));
    sendPage(answer, 503, page('second'));
  });

  it('does not become the body of the 503 that took its place', async () => {
    const answer = await fetch(server.url);
    const policy = answer.headers.get('content-security-policy');
    expect([answer.status, await answer.text(), policy]).to.deep.equal([
      503,
      'second',
      "default-src 'none'; report-to second",
    ]);
  });
});
