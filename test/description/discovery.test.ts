import { expect } from 'chai';
import { startService, useService } from '../support/service.ts';

interface Discovery {
  schema_version: number;
  name: string;
  base_url: string;
  onboarding: string;
  openapi: string;
  docs: string;
  sign_in: { start: string; poll: string };
  limits: Record<string, number>;
}

describe('GET /.well-known/dropleaf.json', () => {
  const service = useService();
  const read = () => service.get<Discovery>('/.well-known/dropleaf.json');

  it('schema_version 1, and where everything is', async () => {
    const { status, body } = await read();
    const base = service.config.BASE_URL;
    expect(status).to.equal(200);
    expect(body).to.include({
      schema_version: 1,
      name: 'Dropleaf',
      base_url: base,
      onboarding: `${base}/api/onboard`,
      openapi: `${base}/openapi.json`,
      docs: `${base}/docs`,
    });
    expect(body.sign_in).to.deep.equal({
      start: `${base}/api/auth/start`,
      poll: `${base}/api/auth/poll`,
    });
  });

  it('every address in it answers', async () => {
    const { body } = await read();
    for (const address of [body.onboarding, body.openapi, body.docs]) {
      expect((await service.get(new URL(address).pathname)).status, address).to.equal(200);
    }
    expect((await service.request('POST', new URL(body.sign_in.start).pathname)).status).to.equal(200);
    expect((await service.get(`${new URL(body.sign_in.poll).pathname}?token=x`)).status).to.equal(200);
  });

  it('the limits of the specification', async () => {
    expect((await read()).body.limits).to.include({
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

  it('settings of the service show in it', async () => {
    const other = await startService({ env: { BASE_URL: 'https://drops.example', DROPS_PER_ACCOUNT: '7' } });
    try {
      const { body } = await other.get<Discovery>('/.well-known/dropleaf.json');
      expect(body.openapi).to.equal('https://drops.example/openapi.json');
      expect(body.limits.drops_per_account).to.equal(7);
    } finally {
      await other.stop();
    }
  });

  it('the onboarding text and the home page name the description', async () => {
    expect((await service.get('/api/onboard')).text)
      .to.include('/openapi.json')
      .and.to.include('/.well-known/dropleaf.json');
    expect((await service.get('/')).text).to.include('href="/docs"');
  });

  it('a page of any origin may read it, the description and the onboarding text, and nothing else', async () => {
    const origin = { origin: 'https://elsewhere.example' };
    for (const path of ['/.well-known/dropleaf.json', '/openapi.json', '/api/onboard']) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await service.request(method, path, { headers: origin });
        expect(headers['access-control-allow-origin'], `${method} ${path}`).to.equal('*');
      }
      const { etag } = (await service.get(path)).headers;
      if (etag === undefined) continue;
      const unchanged = await service.get(path, { headers: { ...origin, 'if-none-match': etag } });
      expect(unchanged.status).to.equal(304);
      expect(unchanged.headers['access-control-allow-origin'], path).to.equal('*');
    }
    const owner = await service.newOwner();
    for (const path of ['/api/me', '/api/drops', '/api/auth/poll?token=x', '/healthz', '/']) {
      const { headers } = await owner.get(path, { headers: origin });
      expect(headers['access-control-allow-origin'], path).to.equal(undefined);
    }
  });

  for (const path of ['/.well-known/dropleaf.json', '/openapi.json']) {
    it(`${path}: 304 for who has it, in the form that they have`, async () => {
      const plain = await service.get(path);
      const packed = await service.get(path, { headers: { 'accept-encoding': 'br' } });
      expect(packed.headers['content-encoding']).to.equal('br');
      expect(packed.bytes.length).to.be.below(plain.bytes.length);
      for (const [headers, status] of [
        [{ 'if-none-match': String(plain.headers.etag) }, 304],
        [{ 'if-none-match': String(packed.headers.etag), 'accept-encoding': 'br' }, 304],
        [{ 'if-none-match': String(packed.headers.etag) }, 200],
      ] as const) {
        expect((await service.get(path, { headers })).status).to.equal(status);
      }
    });
  }
});
