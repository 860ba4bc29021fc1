import { abuseOptions } from './abuse.ts';
import {
  address,
  addresses,
  choice,
  count,
  flag,
  headerSecret,
  identifier,
  type Option,
  proxies,
  ratio,
  secret,
  text,
  times,
  uri,
  wildcardOrigin,
} from './kinds.ts';

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
    'Secret that signs cookies and grants, 32 characters or more; unset: generated once and kept with the data',
  ),
  SIGNING_SECRETS_ACCEPTED: secret('Additional secrets whose signatures are accepted, separated by commas'),

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
  METADATA_MAX_KEYS: count(10, 'Keys of a metadata map', 1, 500),
  METADATA_KEY_MAX_CHARACTERS: count(64, 'Characters of a metadata key'),
  METADATA_VALUE_MAX_CHARACTERS: count(256, 'Characters of a metadata value'),
  PAGE_SIZE: count(50, 'Drops on a page of the list unless the caller says'),
  PAGE_SIZE_MAX: count(200, 'Drops on a page of the list, at most'),

  SIGN_IN_TTL_SECONDS: count(600, 'How long a code and its poll token are good', 1, 86_400),
  SIGN_IN_KEEP_SECONDS: count(86_400, 'How long a finished sign-in still answers polls'),
  SIGN_IN_STARTS_PER_MINUTE: count(
    30,
    'Sign-ins started, for each address and minute; ten times as many for each IPv6 /48',
  ),
  POLL_INTERVAL_SECONDS: count(2, 'How often clients are told to poll', 1, 60),
  SIGN_INS_PER_ACCOUNT: count(20, 'Codes that an account may come to decide on in 10 minutes'),
  CODE_TRIES: count(
    10,
    'Wrong codes or sign-in keys, for each address and 10 minutes; ten times as many codes for each IPv6 /48',
  ),
  PASSCODE_TRIES: count(10, 'Wrong passcodes, for each drop and address and 10 minutes'),
  PASSCODE_TRIES_PER_ADDRESS: count(
    100,
    'Wrong passcodes at all drops, for each address and 10 minutes; ten times as many for each IPv6 /48',
  ),
  PASSCODE_TRIES_PER_DROP: count(
    100,
    'Wrong passcodes, for each drop and 10 minutes, from all addresses together; after them no passcode is checked, and a browser that has entered it stays in',
  ),
  UNLOCK_SECONDS: count(86_400, 'How long a passcode stays entered in a browser'),
  GRANT_SECONDS: count(3_600, "How long the frame's address of a locked page is good"),

  ...abuseOptions,

  BUFFERED_BYTES: count(
    128 * mib,
    'Request bodies and unread answers held in memory; above it the client that holds most is cut off',
    mib,
  ),
  REQUEST_SECONDS: count(60, 'How long a client may take to send its request', 1, 3_600),
  ANSWER_MS: count(
    4_500,
    'How long an answer may take once the request is read; then it is 503',
    100,
    600_000,
  ),
  READ_SECONDS: count(120, 'How long a client may take to read an answer', 1, 3_600),
  MAX_CONNECTIONS: count(
    10_000,
    'Connections at a time, fewer than `ulimit -n`; a new one takes the place of the longest idle',
    10,
    1_000_000,
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
