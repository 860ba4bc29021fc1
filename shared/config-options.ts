import { isIP } from 'node:net';
import { boolean, number, type Schema, string } from 'yup';
import { readContentOrigin } from './config-content-origin.ts';

/** One setting: an environment variable. The README's table and `dropleaf config` are made from these. */
export interface Option<T> {
  /** What the value must be, once it is there. */
  readonly schema: Schema<T>;
  /** As one would write it in the environment; '' for unset. */
  readonly fallback: string;
  readonly about: string;
  /** Shown to nobody. */
  readonly secret?: true;
  /** Not repeated when it is refused: what was meant as an address may hold a password. */
  readonly guarded?: true;
}

function count(fallback: number, about: string, min = 1, max = 1_000_000_000): Option<number> {
  return {
    schema: number()
      .typeError('must be a whole number')
      .integer('must be a whole number')
      .min(min, `must be at least ${min}`)
      .max(max, `must be at most ${max}`)
      .required(),
    fallback: String(fallback),
    about,
  };
}

function ratio(fallback: number, about: string): Option<number> {
  return {
    schema: number()
      .typeError('must be a number')
      .min(0, 'must be 0 to 1')
      .max(1, 'must be 0 to 1')
      .required(),
    fallback: String(fallback),
    about,
  };
}

function text(fallback: string, about: string): Option<string> {
  return { schema: string().defined(), fallback, about };
}

function choice(values: readonly string[], fallback: string, about: string): Option<string> {
  return {
    schema: string()
      .oneOf(values, `must be one of ${values.join(', ')}`)
      .required(),
    fallback,
    about,
  };
}

/** An http or https address; '' where it may be unset. */
function address(fallback: string, about: string): Option<string> {
  const fault = 'must be an address such as https://example.org, without a user, a password, "?" or "#"';
  return { schema: string().defined().test('address', fault, isAddress), fallback, about, guarded: true };
}

/** A host name for each drop below a domain; '' for none. */
function wildcardOrigin(about: string): Option<string> {
  const isOne = (value: string) => value === '' || readContentOrigin(value) !== null;
  const fault = 'must be https://*.name, or for development http://*.name:port, with one "*." and no path';
  return { schema: string().defined().test('wildcard', fault, isOne), fallback: '', about };
}

/** Some of those, separated by commas. */
function addresses(about: string): Option<string> {
  const fault =
    'must be addresses such as http://10.0.0.1:6081, separated by commas, each without a user or "?"';
  const areAddresses = (value: string) =>
    splitAddresses(value).every((part) => part !== '' && isAddress(part));
  const schema = string()
    .defined()
    .test('addresses', fault, (value) => value === '' || areAddresses(value));
  return { schema, fallback: '', about, guarded: true };
}

/** None of ''. */
export function splitAddresses(value: string): string[] {
  return value === '' ? [] : value.split(',').map((part) => part.trim());
}

/** Seconds that grow, separated by commas. */
function times(fallback: string, about: string): Option<string> {
  const fault = 'must be growing numbers of seconds, at most 3600, separated by commas, such as 1,5,60';
  const areGrowing = (value: string) =>
    value
      .split(',')
      .every(
        (part, i, all) => /^\d{1,4}(\.\d{1,3})?$/.test(part) && +part > +(all[i - 1] ?? 0) && +part <= 3_600,
      );
  return { schema: string().required().test('times', fault, areGrowing), fallback, about };
}

/** A name that another service gave; '' for none. */
function identifier(pattern: RegExp, about: string): Option<string> {
  const isOne = (value: string) => value === '' || pattern.test(value);
  const fault = `must match ${pattern}`;
  return { schema: string().defined().test('identifier', fault, isOne), fallback: '', about };
}

function flag(fallback: boolean, about: string): Option<boolean> {
  return {
    schema: boolean().typeError('must be true or false').required(),
    fallback: String(fallback),
    about,
  };
}

/** What Express understands, but for "all of them": whoever asks could then name any address as their own. */
function proxies(about: string): Option<string> {
  const fault = 'must be a number of hops, or addresses and ranges such as 10.0.0.0/8, loopback';
  return { schema: string().defined().test('proxies', fault, areProxies), fallback: '', about };
}

function areProxies(value: string): boolean {
  if (value === '' || /^\d{1,2}$/.test(value)) return true;
  return value.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/');
    if (['loopback', 'linklocal', 'uniquelocal'].includes(part.trim())) return true;
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return most > 0 && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits <= most));
  });
}

function secret(about: string): Option<string> {
  return { schema: string().defined(), fallback: '', about, secret: true };
}

function isAddress(value: string): boolean {
  if (value === '') return true;
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return (
    ['http:', 'https:'].includes(url.protocol) && url.search + url.hash + url.username + url.password === ''
  );
}

/** Credentials for a header of HTTP, where an error would repeat what cannot stand in one. */
function headerSecret(about: string): Option<string> {
  const fault = 'must be visible ASCII characters, without spaces';
  const schema = string()
    .defined()
    .test('token', fault, (value) => /^[\x21-\x7e]*$/.test(value));
  return { schema, fallback: '', about, secret: true };
}

/** Where a server is, credentials and all: shown to nobody. */
function uri(protocols: readonly string[], about: string): Option<string> {
  const isOne = (value: string) =>
    value === '' || protocols.some((protocol) => value.startsWith(`${protocol}//`));
  const fault = `must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return { schema: string().defined().test('uri', fault, isOne), fallback: '', about, secret: true };
}

const kib = 1024;
const mib = 1024 * kib;

/** Every setting, in the order in which people look for them. The defaults of limits are the spec's (section 8). */
export const options = {
  PORT: count(3000, 'The port to listen on; 0 takes a free one', 0, 65_535),
  HOST: text(
    '127.0.0.1',
    'The address to listen on; `0.0.0.0` for all, which `dropleaf web` takes unless this is set',
  ),
  BASE_URL: address(
    '',
    'The public address of the service; unset: `http://HOST:PORT`, with `localhost` for all addresses',
  ),
  CONTENT_ORIGIN: wildcardOrigin(
    'Serves the page of each drop from a host name of its own, e.g. `https://*.drops.example`: a domain for that alone',
  ),
  DATA_DIR: text(
    './data',
    'Where everything is kept (but for the scale-out engine); relative to the current directory',
  ),
  MONGODB_URI: uri(
    ['mongodb:', 'mongodb+srv:'],
    'Where MongoDB is: with `REDIS_URL` it chooses the scale-out engine; without a database name: `dropleaf`',
  ),
  REDIS_URL: uri(
    ['redis:', 'rediss:'],
    'Where Redis is: for the line of jobs, limits and views that all processes share',
  ),
  REDIS_PREFIX: text('dropleaf', 'What the names of all keys in Redis begin with'),
  REDIS_TLS_REJECT_UNAUTHORIZED: flag(
    true,
    "Whether Redis's certificate must be one that is trusted; `false` for platforms that sign their own",
  ),
  MONGODB_CONNECTIONS: count(20, 'Connections to MongoDB that a process holds at most', 1, 1_000),
  TRUST_PROXY: proxies(
    'Proxies whose `X-Forwarded-For` is believed: a number of hops, or addresses and ranges; unset: none',
  ),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'],
    'info',
    'The least severe lines to log',
  ),
  LOG_RAW_SAMPLE: ratio(0.01, 'The share of raw page requests to log; errors always are'),

  GITHUB_CLIENT_ID: text('', "The OAuth app's client id; unset: people sign in with the local sign-in key"),
  GITHUB_CLIENT_SECRET: secret("The OAuth app's client secret"),
  GITHUB_URL: address('https://github.com', 'GitHub, or an Enterprise Server, Gitea or Forgejo'),
  GITHUB_API_URL: address(
    'https://api.github.com',
    'Its API, e.g. `https://git.example/api/v3` or `…/api/v1`',
  ),
  SIGNING_SECRET: secret(
    'Signs cookies and grants, 32 characters or more; unset: made once and kept with the data',
  ),

  WRITES_PER_MINUTE: count(60, 'POST and PUT of drops, for each account and minute of the clock'),
  WRITES_PER_DAY: count(500, 'POST and PUT of drops that were accepted, for each account and UTC day'),
  CHANGES_PER_MINUTE: count(600, 'Other changes, for each account and minute of the clock'),
  DROPS_PER_ACCOUNT: count(500, 'Live drops of an account'),
  VERSIONS_PER_DROP: count(200, 'Versions of a drop', 1, 10_000),
  HTML_MAX_BYTES: count(2 * mib, 'UTF-8 bytes of a document', 1, 16 * mib),
  CONTEXT_MAX_BYTES: count(64 * kib, 'UTF-8 bytes of a context', 1, mib),
  TITLE_MAX_CHARACTERS: count(200, 'Characters (code points) of a title'),
  DESCRIPTION_MAX_CHARACTERS: count(500, 'Characters of a description'),
  LABEL_MAX_CHARACTERS: count(100, "Characters of a token's label"),
  PASSCODE_MIN_CHARACTERS: count(4, 'Characters of a passcode, at least'),
  PASSCODE_MAX_CHARACTERS: count(256, 'Characters of a passcode, at most'),
  METADATA_MAX_KEYS: count(10, 'Keys of a metadata map'),
  METADATA_KEY_MAX_CHARACTERS: count(64, 'Characters of a metadata key'),
  METADATA_VALUE_MAX_CHARACTERS: count(256, 'Characters of a metadata value'),
  PAGE_SIZE: count(50, 'Drops on a page of the list unless the caller says'),
  PAGE_SIZE_MAX: count(200, 'Drops on a page of the list, at most'),

  SIGN_IN_TTL_SECONDS: count(600, 'How long a code and its poll token are good', 1, 86_400),
  SIGN_IN_KEEP_SECONDS: count(86_400, 'How long a finished sign-in still answers polls'),
  SIGN_IN_STARTS_PER_MINUTE: count(30, 'Sign-ins started, for each address and minute'),
  POLL_INTERVAL_SECONDS: count(2, 'How often clients are told to poll', 1, 60),
  CODE_TRIES: count(10, 'Wrong codes or sign-in keys, for each address and 10 minutes'),
  PASSCODE_TRIES: count(10, 'Wrong passcodes, for each drop and address and 10 minutes'),
  PASSCODE_TRIES_PER_DROP: count(200, 'Wrong passcodes, for each drop and 10 minutes'),
  UNLOCK_SECONDS: count(86_400, 'How long a passcode stays entered in a browser'),
  GRANT_SECONDS: count(3_600, "How long the frame's address of a locked page is good"),

  BODIES_IN_FLIGHT_BYTES: count(64 * mib, 'Request bodies held at a time; more get 503', mib),
  REQUEST_SECONDS: count(60, 'How long a client may take to send its request', 1, 3_600),
  ANSWER_MS: count(
    4_500,
    'How long an answer may take once the request is read; then it is 503',
    100,
    600_000,
  ),
  SHUTDOWN_SECONDS: count(25, 'How long a stop may take', 1, 600),
  PAGE_CACHE_BYTES: count(48 * mib, 'Pages held in memory', 0),
  RENDER_BUDGET_MS: count(2_000, 'How long the parse of one document may take in a job', 1, 60_000),
  RENDER_REQUEST_BUDGET_MS: count(300, 'The same while somebody waits for the page', 1, 60_000),
  JOBS_AT_ONCE: count(4, 'Jobs that a process runs at a time', 1, 100),
  JOB_LOCK_SECONDS: count(30, 'How long a job stays with a process that has gone silent', 1, 3_600),
  JOB_STALL_SECONDS: count(
    30,
    'How often each worker looks for jobs whose process has gone (Redis)',
    1,
    3_600,
  ),

  EDGE_PURGER: choice(
    ['none', 'http', 'varnish', 'fastly', 'cloudflare'],
    'none',
    'How the cache in front is told of changes (`deploy/README.md`); `http` POSTs `{"tag": …}` to `EDGE_PURGE_URL`',
  ),
  EDGE_PURGE_URL: addresses(
    'Of the hook; of each Varnish, separated by commas; of the API of Fastly or Cloudflare, unless it is their own',
  ),
  EDGE_PURGE_TOKEN: headerSecret(
    'What the purger shows: a bearer token, or the API token of Fastly or Cloudflare',
  ),
  EDGE_FASTLY_SERVICE_ID: identifier(/^[A-Za-z0-9]{1,64}$/, 'The service of Fastly that is in front'),
  EDGE_CLOUDFLARE_ZONE_ID: identifier(/^[0-9a-f]{32}$/, 'The zone of Cloudflare that is in front'),
  EDGE_PURGE_AGAIN_SECONDS: times(
    '1,5,60',
    'When each purge is repeated: one misses what is on its way to the edge at that moment',
  ),
  EDGE_TTL_SECONDS: count(
    86_400,
    'How long a shared cache may keep a raw page; at most 5 without a purger',
    0,
  ),
  INDEXABLE: flag(false, 'Whether search engines may list public pages'),
} as const satisfies Record<string, Option<unknown>>;
