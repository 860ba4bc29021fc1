import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { withSuffix } from '../support/proxied.ts';
import { useService, useServices } from '../support/service.ts';

interface Discovery {
  onboarding: string;
  openapi: string;
  docs: string;
  sign_in: { start: string; poll: string };
  limits: Record<string, number>;
}

const path = '/.well-known/dropleaf.json';

describe(`GET ${path}`, () => {
  const startOwn = useServices();
  const service = useService();

  it('schema_version 1, the addresses of the service, and the limits of the specification', async () => {
    const { status, body } = await service.get<Discovery>(path);
    const base = service.config.BASE_URL;
    expect(status).to.equal(200);
    const { limits, ...rest } = body;
    expect(rest).to.deep.equal({
      schema_version: 1,
      name: 'Dropleaf',
      base_url: base,
      onboarding: `${base}/api/onboard`,
      openapi: `${base}/openapi.json`,
      docs: `${base}/docs`,
      client: `${base}/cli.mjs`,
      mcp: `${base}/mcp`,
      skills: `${base}/.well-known/agent-skills/index.json`,
      llms: `${base}/llms.txt`,
      sign_in: { start: `${base}/api/auth/start`, poll: `${base}/api/auth/poll` },
    });
    expect(limits).to.include({
      html_max_bytes: 2097152,
      context_max_bytes: 65536,
      title_max_characters: 200,
      description_max_characters: 500,
      passcode_min_characters: 4,
      metadata_max_keys: 10,
      metadata_key_max_characters: 64,
      metadata_value_max_characters: 256,
      versions_per_drop: 200,
      writes_per_minute: 60,
      writes_per_day: 500,
      drops_per_account: 500,
      page_size: 50,
      page_size_max: 200,
      sign_in_seconds: 600,
      poll_interval_seconds: 2,
    });
  });

  it('every address in it answers', async () => {
    const { onboarding, openapi, docs, sign_in } = (await service.get<Discovery>(path)).body;
    const pathOf = (address: string) => new URL(address).pathname;
    for (const address of [onboarding, openapi, docs]) {
      expect((await service.get(pathOf(address))).status, address).to.equal(200);
    }
    expect((await service.request('POST', pathOf(sign_in.start))).status).to.equal(200);
    expect((await service.get(`${pathOf(sign_in.poll)}?token=x`)).status).to.equal(200);
  });

  it('has the settings of the service', async () => {
    const other = await startOwn({ env: { BASE_URL: 'https://drops.example', DROPS_PER_ACCOUNT: '7' } });
    const { body } = await other.get<Discovery>(path);
    expect(body.openapi).to.equal('https://drops.example/openapi.json');
    expect(body.limits.drops_per_account).to.equal(7);
  });

  it('the agent protocol and the home page name the description', async () => {
    const { text } = await service.get('/api/onboard');
    expect(text).to.include('/openapi.json').and.to.include(path);
    expect((await service.get('/')).text).to.include('href="/docs"');
  });

  it('scripts of every origin may read it, the description and the agent protocol, and nothing else', async () => {
    const origin = { origin: 'https://elsewhere.example' };
    for (const open of [path, '/openapi.json', '/api/onboard']) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await service.request(method, open, { headers: origin });
        expect(headers['access-control-allow-origin'], `${method} ${open}`).to.equal('*');
      }
    }
    const owner = await service.newOwner();
    for (const closed of ['/api/me', '/api/drops', '/api/auth/poll?token=x', '/healthz', '/']) {
      const { headers } = await owner.get(closed, { headers: origin });
      expect(headers['access-control-allow-origin'], closed).to.equal(undefined);
    }
  });

  for (const cached of [path, '/openapi.json', '/cli.mjs']) {
    it(`${cached}: compressed if the client accepts it; 304 for the ETag of the same encoding`, async () => {
      const plain = await service.get(cached);
      const packed = await service.get(cached, { headers: { 'accept-encoding': 'br' } });
      expect(packed.headers['content-encoding']).to.equal('br');
      expect(brotliDecompressSync(packed.bytes).toString()).to.equal(plain.text);
      const origin = cached === '/cli.mjs' ? undefined : '*';
      for (const [headers, status] of [
        [{ 'if-none-match': String(plain.headers.etag) }, 304],
        [{ 'if-none-match': String(packed.headers.etag), 'accept-encoding': 'br' }, 304],
        [{ 'if-none-match': String(packed.headers.etag) }, 200],
        [{ 'if-none-match': withSuffix(String(plain.headers.etag)) }, 304],
      ] as const) {
        const answer = await service.get(cached, { headers });
        expect(answer.status).to.equal(status);
        expect(answer.headers['access-control-allow-origin']).to.equal(origin);
      }
    });
  }

  it('paths without an ETag answer 200 in full to If-None-Match: *', async () => {
    for (const uncached of ['/', '/api/onboard', '/docs', '/robots.txt', '/sign-in', '/healthz']) {
      const answer = await service.get(uncached, { headers: { 'if-none-match': '*' } });
      expect(answer.status, uncached).to.equal(200);
      expect(answer.bytes, uncached).to.not.be.empty;
    }
  });
});
