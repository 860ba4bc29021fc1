import { expect } from 'chai';
import {
  atPort,
  describeConfig,
  edgeSeconds,
  edgeUrls,
  maxDropBodyBytes,
  purgePauses,
  readConfig,
} from '../../shared/config/config.ts';

type Env = Readonly<Record<string, string>>;
const hush = 'hush';
const token = { EDGE_PURGE_TOKEN: hush };
const twoUrls = { EDGE_PURGE_URL: 'http://a:1, http://b:2/' };

const valid: readonly Env[] = [
  { PORT: '0' },
  { HOST: 'localhost' },
  { HOST: '::1' },
  { BASE_URL: 'https://a.example/' },
  ...['1', '10.0.0.0/8', 'loopback, 192.0.2.1', '::1', '2001:db8::/32'].map((TRUST_PROXY) => ({
    TRUST_PROXY,
  })),
  { SECURITY_CONTACT: 'mailto:security@drops.example, https://drops.example/security,tel:+43-1-234567' },
  { SECURITY_LANGUAGES: 'en, de-AT' },
  { OPERATORS: '0123456789abcdef0123456789abcdef' },
  { OPERATORS: `${'0'.repeat(32)}, ${'f'.repeat(32)}` },
  { EDGE_PURGER: 'varnish', ...twoUrls },
  { EDGE_PURGER: 'fastly', ...token, EDGE_FASTLY_SERVICE_ID: 'SU1Z0isxPaozGVKXdv0eY' },
  { EDGE_PURGER: 'cloudflare', ...token, EDGE_CLOUDFLARE_ZONE_ID: '023e105f4ecef8ad9ca31a8372d0c353' },
];

/** Values of one setting that are invalid. */
const invalid: Readonly<Record<string, readonly string[]>> = {
  PORT: ['http', '-1', '65536', '1.5'],
  WRITES_PER_MINUTE: ['0', '1000000001'],
  HOST: ['a b', 'a/b', '256.0.0.1'],
  BASE_URL: [
    'example.org',
    'https://a.example/x',
    'ftp://a.example',
    'https://u:hush@a.example',
    'https://a.example/?x',
  ],
  TRUST_PROXY: [
    'true',
    '*',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    'proxy.example',
    '-1',
    '1.5',
  ],
  OPERATORS: ['octocat', '0'.repeat(31), 'F'.repeat(32), `${'0'.repeat(32)},`, `${'0'.repeat(32)}, octocat`],
  LOG_LEVEL: ['loud'],
  LOG_RAW_SAMPLE: ['1.1', 'all'],
  REDIS_TLS_REJECT_UNAUTHORIZED: ['no'],
  MONGODB_URI: ['http://user:hush@db'],
  SIGNING_SECRET: [hush],
  SIGNING_SECRETS_ACCEPTED: [hush.repeat(7), `${'o'.repeat(32)},`, `${'o'.repeat(32)},${hush}`],
  REPORTS_OPEN_PER_DROP: ['0', '1001', 'many'],
  SECURITY_CONTACT: [
    'security@drops.example',
    'http://drops.example',
    'mailto:',
    'mailto:a@b\nExpires: never',
    'tel:1,',
  ],
  SECURITY_POLICY: ['http://drops.example/policy', 'https://drops.example/a b'],
  SECURITY_LANGUAGES: ['english language', 'en,', 'en\nPolicy: x'],
  EDGE_PURGE_URL: ['http://a, ', 'http://u:hush@a'],
  EDGE_PURGE_TOKEN: ['hush hush', 'hush\n', 'hüsh'],
  EDGE_FASTLY_SERVICE_ID: ['../x'],
  EDGE_PURGE_AGAIN_SECONDS: ['5,1', '0', '1,,5', 'soon', '1,1', '4000', '-1'],
};

const contradictions: readonly (readonly [env: Env, problem: string])[] = [
  [{ MONGODB_URI: 'mongodb://user:hush@db' }, 'REDIS_URL must be set if MONGODB_URI is set'],
  [{ REDIS_URL: 'redis://:hush@db' }, 'MONGODB_URI must be set if REDIS_URL is set'],
  [{ GITHUB_CLIENT_ID: 'id' }, 'GITHUB_CLIENT_SECRET must be set if GITHUB_CLIENT_ID is set'],
  [{ GITHUB_CLIENT_SECRET: hush }, 'GITHUB_CLIENT_ID must be set if GITHUB_CLIENT_SECRET is set'],
  [{ EDGE_PURGER: 'varnish' }, 'EDGE_PURGE_URL must be set if EDGE_PURGER is varnish'],
  [{ EDGE_PURGER: 'http', ...twoUrls }, 'EDGE_PURGE_URL must be one URL if EDGE_PURGER is http'],
  [{ EDGE_PURGER: 'fastly', ...token }, 'EDGE_FASTLY_SERVICE_ID must be set if EDGE_PURGER is fastly'],
  [
    { EDGE_PURGER: 'cloudflare', ...token },
    'EDGE_CLOUDFLARE_ZONE_ID must be set if EDGE_PURGER is cloudflare',
  ],
  [{ PAGE_SIZE: '60', PAGE_SIZE_MAX: '50' }, 'PAGE_SIZE must be at most PAGE_SIZE_MAX (60 > 50)'],
];

const spaces = [' ', '\n', '\r\n', '\t', '\ufeff', '\u00a0'];
const around = (value: string) => spaces.flatMap((space) => [value + space, space + value]);

/** Valid values of settings that are used as they are. */
const exact: Env = {
  DATA_DIR: '/srv/data',
  REDIS_PREFIX: 'drops',
  SIGNING_SECRET: hush.repeat(8),
  EDGE_PURGE_TOKEN: hush,
};

/** Valid values of the others, by the kind of the setting. */
const trimmed: Env = {
  PORT: '8080',
  HOST: 'localhost',
  BASE_URL: 'https://a.example',
  CONTENT_ORIGIN: 'https://*.drops.example',
  TRUST_PROXY: '1',
  METRICS_PORT: '9464',
  INDEXABLE: 'true',
  GITHUB_CLIENT_ID: 'abc',
  GITHUB_CLIENT_SECRET: hush,
  GITHUB_URL: 'https://git.example',
  MONGODB_URI: 'mongodb://u:p@db.example/drops',
  REDIS_URL: 'redis://:p@redis.example:6379/1',
  AUDIT_KEEP_DAYS: '7',
  LOG_LEVEL: 'warn',
  LOG_RAW_SAMPLE: '0.5',
  OPERATORS: 'f'.repeat(32),
  SECURITY_CONTACT: 'mailto:a@b.example',
  EDGE_FASTLY_SERVICE_ID: 'SU1Z0isxPaozGVKXdv0eY',
  EDGE_PURGE_AGAIN_SECONDS: '1,5',
};

describe('White space at the ends of a setting', () => {
  const config = readConfig({ ...trimmed });

  it('is ignored, also if it is all that there is', () => {
    for (const space of spaces) {
      const padded = Object.entries(trimmed).map(([name, value]) => [name, `${space}${value}${space}`]);
      expect(readConfig(Object.fromEntries(padded)), JSON.stringify(space)).to.deep.equal(config);
      const blank = Object.keys(trimmed).map((name) => [name, space]);
      expect(readConfig(Object.fromEntries(blank)), JSON.stringify(space)).to.deep.equal(readConfig({}));
    }
  });

  for (const [name, value] of Object.entries(exact)) {
    it(`of ${name} is refused, because a running service uses it as it is`, () => {
      expect(() => readConfig({ [name]: value })).to.not.throw();
      for (const text of [...around(value), ' ']) {
        const read = () => readConfig({ [name]: text });
        expect(read, JSON.stringify(text)).to.throw(
          new RegExp(`^1 setting is invalid:\n  ${name} must not begin or end with white space`),
        );
        expect(read).to.not.throw(/hush|\n.*\n/);
      }
    });
  }

  for (const [name, start, other] of [
    ['MONGODB_URI', 'mongodb://', { REDIS_URL: 'redis://h' }],
    ['MONGODB_URI', 'mongodb+srv://', { REDIS_URL: 'redis://h' }],
    ['REDIS_URL', 'redis://', { MONGODB_URI: 'mongodb://h' }],
    ['REDIS_URL', 'rediss://', { MONGODB_URI: 'mongodb://h' }],
  ] as const) {
    it(`of the user name or password in a ${name} ${start} is refused`, () => {
      const read = (credentials: string) => readConfig({ ...other, [name]: `${start}${credentials}@h` });
      for (const credentials of ['u:hush', 'u%20ser:hu%20sh', 'u:hu%0Ash', ':hush', 'u:h:%', 'u']) {
        expect(() => read(credentials), credentials).to.not.throw();
      }
      for (const credentials of [
        'u:hush%0A',
        'u:hush\n',
        'u:hush%20',
        'u:%20hush',
        ':hush ',
        'u%0d:hush',
        'u%0A',
      ]) {
        expect(() => read(credentials), credentials).to.throw(
          new RegExp(`^1 setting is invalid:\n  ${name} must have no white space.* user name or password`),
        );
        expect(() => read(credentials), credentials).to.not.throw(/h.sh/);
      }
    });
  }
});

describe('Settings', () => {
  it('have the defaults of the spec, section 8', () => {
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
      PASSCODE_TRIES: 10,
      PASSCODE_TRIES_PER_DROP: 100,
      PAGE_SIZE: 50,
      PAGE_SIZE_MAX: 200,
      SIGN_IN_TTL_SECONDS: 600,
      POLL_INTERVAL_SECONDS: 2,
      BASE_URL: 'http://127.0.0.1:3000',
    });
    expect(maxDropBodyBytes(readConfig({}))).to.equal(13 * 1024 * 1024);
  });

  it('are used as given if they are valid; an empty value is the same as none', () => {
    for (const env of valid) expect(() => readConfig(env), JSON.stringify(env)).to.not.throw();
    expect(readConfig({ PORT: '', MONGODB_URI: '', REDIS_URL: '' }).PORT).to.equal(3000);
    expect(readConfig({ BASE_URL: 'https://a.example/' }).BASE_URL).to.equal('https://a.example');
    expect(readConfig({ HOST: '::1', PORT: '80' }).BASE_URL).to.equal('http://[::1]');
    expect(readConfig({ SECURITY_CONTACT: 'tel:1,tel:2' }).SECURITY_CONTACT).to.equal('tel:1,tel:2');
  });

  for (const [name, values] of Object.entries(invalid)) {
    it(`${name} is refused if it is invalid, without repeating a secret`, () => {
      for (const value of values) {
        const read = () => readConfig({ [name]: value });
        expect(read, value).to.throw(new RegExp(`^1 setting is invalid:\n  ${name} must `));
        expect(read, value).to.not.throw(/h.sh/);
      }
    });
  }

  for (const [env, problem] of contradictions) {
    it(`are refused if they contradict each other: ${problem}`, () => {
      expect(() => readConfig(env)).to.throw(`1 setting is invalid:\n  ${problem}`);
    });
  }

  for (const [hosts, isRefused] of [
    [{}, true],
    [{ HOST: '::', METRICS_HOST: '127.0.0.1' }, true],
    [{ HOST: '0.0.0.0' }, true],
    [{ METRICS_HOST: '0.0.0.0' }, true],
    [{ METRICS_HOST: '::' }, true],
    [{ METRICS_HOST: '127.0.0.2' }, false],
    [{ HOST: '0.0.0.0', METRICS_HOST: '::1' }, false],
  ] as const) {
    const where = JSON.stringify(hosts);
    it(`one port for pages and metrics is ${isRefused ? 'refused' : 'accepted'} with ${where}, and accepted by workers`, () => {
      const env = { PORT: '8080', METRICS_PORT: '8080', ...hosts };
      expect(() => readConfig(env)).to.not.throw();
      expect(() => readConfig({ ...env, METRICS_PORT: '8081' }, { listens: true })).to.not.throw();
      expect(() => readConfig({ ...env, PORT: '0', METRICS_PORT: '0' }, { listens: true })).to.not.throw();
      const read = () => readConfig(env, { listens: true });
      if (isRefused) expect(read).to.throw('PORT and METRICS_PORT are both 8080: set another METRICS_PORT');
      else expect(read).to.not.throw();
    });
  }

  it('are all listed if they are invalid, with their values', () => {
    const env = { PORT: 'http', LOG_LEVEL: 'loud', GITHUB_CLIENT_ID: 'id', PAGE_SIZE: '0' };
    expect(() => readConfig(env)).to.throw(
      '4 settings are invalid:\n' +
        '  PORT must be a whole number (got "http")\n' +
        '  PAGE_SIZE must be at least 1 (got "0")\n' +
        '  LOG_LEVEL must be one of fatal, error, warn, info, debug, silent (got "loud")\n' +
        '  GITHUB_CLIENT_SECRET must be set if GITHUB_CLIENT_ID is set',
    );
  });

  it('EDGE_PURGE_URL: URLs without trailing slashes; EDGE_PURGE_AGAIN_SECONDS: pauses in ms', () => {
    expect(edgeUrls(readConfig({ EDGE_PURGER: 'varnish', ...twoUrls }))).to.deep.equal([
      'http://a:1',
      'http://b:2',
    ]);
    expect(purgePauses(readConfig({}))).to.deep.equal([1_000, 4_000, 55_000]);
    expect(purgePauses(readConfig({ EDGE_PURGE_AGAIN_SECONDS: '0.2,30' }))).to.deep.equal([200, 29_800]);
  });

  it('EDGE_TTL_SECONDS is at most 4 without a purger', () => {
    expect(edgeSeconds(readConfig({}))).to.equal(4);
    expect(edgeSeconds(readConfig({ EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://c' }))).to.equal(86_400);
    expect(edgeSeconds(readConfig({ EDGE_TTL_SECONDS: '0' }))).to.equal(0);
  });

  it('PORT=0: BASE_URL gets the port that the system chose, unless it is set', () => {
    const at = (env: Env) => atPort(readConfig({ PORT: '0', ...env }), 8123);
    expect(at({})).to.include({ PORT: 8123, BASE_URL: 'http://127.0.0.1:8123' });
    expect(at({ HOST: '0.0.0.0' })).to.include({ BASE_URL: 'http://localhost:8123' });
    expect(at({ BASE_URL: 'https://a.example' })).to.include({ PORT: 8123, BASE_URL: 'https://a.example' });
  });

  it('are described without secrets', () => {
    const secret = 'x'.repeat(40);
    const described = describeConfig(readConfig({ SIGNING_SECRET: secret, PORT: '1' }));
    expect(JSON.stringify(described)).to.not.include(secret);
    expect(described).to.deep.include({ name: 'SIGNING_SECRET', value: '(set, hidden)', isDefault: false });
    expect(described).to.deep.include({ name: 'PORT', value: '1', isDefault: false });
  });
});
