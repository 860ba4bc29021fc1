import { expect } from 'chai';
import {
  atPort,
  describeConfig,
  edgeAddresses,
  edgeSeconds,
  maxDropBodyBytes,
  purgePauses,
  readConfig,
} from '../../shared/config/config.ts';

describe('Configuration', () => {
  it('has the defaults of the spec, section 8', () => {
    expect(readConfig({})).to.deep.include({
      HTML_MAX_BYTES: 2_097_152,
      CONTEXT_MAX_BYTES: 65_536,
      TITLE_MAX_CHARACTERS: 200,
      DESCRIPTION_MAX_CHARACTERS: 500,
      PASSCODE_MIN_CHARACTERS: 4,
      METADATA_MAX_KEYS: 10,
      METADATA_KEY_MAX_CHARACTERS: 64,
      METADATA_VALUE_MAX_CHARACTERS: 256,
      VERSIONS_PER_DROP: 200,
      WRITES_PER_MINUTE: 60,
      WRITES_PER_DAY: 500,
      DROPS_PER_ACCOUNT: 500,
      PAGE_SIZE: 50,
      PAGE_SIZE_MAX: 200,
      SIGN_IN_TTL_SECONDS: 600,
      POLL_INTERVAL_SECONDS: 2,
      BASE_URL: 'http://127.0.0.1:3000',
    });
    expect(maxDropBodyBytes(readConfig({}))).to.equal(13 * 1024 * 1024);
  });

  it('names every fault at once', () => {
    const faulty = () =>
      readConfig({
        PORT: 'http',
        WRITES_PER_MINUTE: '0',
        WRITES_PER_DAY: '1.5',
        BASE_URL: 'example.org',
        LOG_LEVEL: 'loud',
        MONGODB_URI: 'mongodb://user:hush@db',
        GITHUB_CLIENT_ID: 'id',
        SIGNING_SECRET: 'hush',
        EDGE_PURGER: 'http',
        TRUST_PROXY: 'true',
      });
    expect(faulty)
      .to.throw(/10 faults/)
      .with.property('faults')
      .that.satisfies((faults: string[]) =>
        [
          'PORT',
          'WRITES_PER_MINUTE',
          'WRITES_PER_DAY',
          'BASE_URL',
          'LOG_LEVEL',
          'REDIS_URL',
          'GITHUB_CLIENT_SECRET',
          'SIGNING_SECRET',
          'EDGE_PURGE_URL',
          'TRUST_PROXY',
        ].every((name) => faults.some((fault) => fault.startsWith(name))),
      );
    expect(faulty).to.not.throw(/hush/);
  });

  it('counts an empty value as unset', () => {
    expect(readConfig({ PORT: '', MONGODB_URI: '', REDIS_URL: '' }).PORT).to.equal(3000);
  });

  it('asks for what each purger needs, and repeats no token', () => {
    const purger =
      (EDGE_PURGER: string, more: Record<string, string> = {}) =>
      () =>
        readConfig({ EDGE_PURGER, ...more });
    const EDGE_PURGE_TOKEN = 'hush';
    const EDGE_PURGE_URL = 'http://a:1, http://b:2/';
    expect(purger('varnish')).to.throw(/EDGE_PURGE_URL is unset/);
    expect(edgeAddresses(purger('varnish', { EDGE_PURGE_URL })())).to.deep.equal([
      'http://a:1',
      'http://b:2',
    ]);
    expect(purger('http', { EDGE_PURGE_URL })).to.throw(/EDGE_PURGE_URL must be one address/);
    expect(purger('varnish', { EDGE_PURGE_URL: 'http://a, ' })).to.throw(/EDGE_PURGE_URL must be/);
    const withPassword = purger('varnish', { EDGE_PURGE_URL: 'http://u:hush@a' });
    expect(withPassword).to.throw(/EDGE_PURGE_URL must be/);
    expect(withPassword).to.not.throw(/hush/);
    expect(purger('fastly')).to.throw(/EDGE_FASTLY_SERVICE_ID is unset.*\n.*EDGE_PURGE_TOKEN is unset/);
    expect(
      purger('fastly', { EDGE_PURGE_TOKEN, EDGE_FASTLY_SERVICE_ID: 'SU1Z0isxPaozGVKXdv0eY' }),
    ).to.not.throw();
    expect(purger('fastly', { EDGE_PURGE_TOKEN, EDGE_FASTLY_SERVICE_ID: '../x' })).to.throw(/must match/);
    expect(purger('cloudflare')).to.throw(/EDGE_CLOUDFLARE_ZONE_ID is unset.*\n.*EDGE_PURGE_TOKEN is unset/);
    const EDGE_CLOUDFLARE_ZONE_ID = '023e105f4ecef8ad9ca31a8372d0c353';
    expect(purger('cloudflare', { EDGE_PURGE_TOKEN, EDGE_CLOUDFLARE_ZONE_ID })).to.not.throw();
    for (const token of ['hush hush', 'hush\n', 'hüsh']) {
      const withToken = purger('none', { EDGE_PURGE_TOKEN: token });
      expect(withToken, token).to.throw(/EDGE_PURGE_TOKEN/);
      expect(withToken, token).to.not.throw(/h.sh/);
    }
  });

  it('repeats purges at times that grow', () => {
    expect(purgePauses(readConfig({}))).to.deep.equal([1_000, 4_000, 55_000]);
    expect(purgePauses(readConfig({ EDGE_PURGE_AGAIN_SECONDS: '0.2,30' }))).to.deep.equal([200, 29_800]);
    for (const value of ['5,1', '0', '1,,5', 'soon', '1,1', '4000', '-1']) {
      expect(() => readConfig({ EDGE_PURGE_AGAIN_SECONDS: value }), value).to.throw(
        /EDGE_PURGE_AGAIN_SECONDS/,
      );
    }
  });

  it('takes a BASE_URL with or without a trailing slash, and with no path', () => {
    expect(readConfig({ BASE_URL: 'https://a.example/' }).BASE_URL).to.equal('https://a.example');
    expect(readConfig({ HOST: '::1', PORT: '80' }).BASE_URL).to.equal('http://[::1]');
    for (const url of [
      'https://a.example/x',
      'ftp://a.example',
      'https://u:p@a.example',
      'https://a.example/?x',
    ]) {
      expect(() => readConfig({ BASE_URL: url }), url).to.throw(/BASE_URL/);
    }
  });

  it('trusts hops, addresses and ranges, and never everybody', () => {
    for (const value of ['1', '10.0.0.0/8', 'loopback, 192.0.2.1', '::1', '2001:db8::/32']) {
      expect(readConfig({ TRUST_PROXY: value }).TRUST_PROXY).to.equal(value);
    }
    for (const value of [
      'true',
      '*',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '10.0.0.0/8/8',
      'proxy.example',
      '-1',
      '1.5',
    ]) {
      expect(() => readConfig({ TRUST_PROXY: value }), value).to.throw(/TRUST_PROXY/);
    }
  });

  it('lets a shared cache keep a page for a few seconds only where nothing can tell it of a change', () => {
    expect(edgeSeconds(readConfig({}))).to.equal(5);
    expect(edgeSeconds(readConfig({ EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://c' }))).to.equal(86_400);
    expect(edgeSeconds(readConfig({ EDGE_TTL_SECONDS: '0' }))).to.equal(0);
  });

  it('requires at least 32 characters of each signing secret, and never repeats one', () => {
    const [old, next, hush] = ['o'.repeat(32), 'n'.repeat(32), 'hush'.repeat(7)];
    for (const accepted of [old, `${old}, other-${old}`])
      expect(readConfig({ SIGNING_SECRETS_ACCEPTED: accepted }).SIGNING_SECRETS_ACCEPTED).to.equal(accepted);
    for (const wrong of [hush, `${old},`, `${old},${hush}`]) {
      const read = () => readConfig({ SIGNING_SECRET: next, SIGNING_SECRETS_ACCEPTED: wrong });
      expect(read, wrong).to.throw(/SIGNING_SECRETS_ACCEPTED must be secrets of at least 32/);
      expect(read, wrong).to.not.throw(/hush/);
    }
  });

  it('names the port that is had, in the address too where that is its own', () => {
    const at = (env: Record<string, string>) => atPort(readConfig({ PORT: '0', ...env }), 8123);
    expect(at({})).to.include({ PORT: 8123, BASE_URL: 'http://127.0.0.1:8123' });
    expect(at({ HOST: '0.0.0.0' })).to.include({ BASE_URL: 'http://localhost:8123' });
    expect(at({ BASE_URL: 'https://a.example' })).to.include({ PORT: 8123, BASE_URL: 'https://a.example' });
  });

  it('describes itself without its secrets', () => {
    const secret = 'x'.repeat(40);
    const described = describeConfig(readConfig({ SIGNING_SECRET: secret, PORT: '1' }));
    expect(JSON.stringify(described)).to.not.include(secret);
    expect(described).to.deep.include({ name: 'SIGNING_SECRET', value: '(set, hidden)', isDefault: false });
    expect(described).to.deep.include({ name: 'PORT', value: '1', isDefault: false });
  });
});
