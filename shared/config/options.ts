import { dropLimits, fieldLimits, listLimits, signInLimits, tenfold, writeLimits } from './limit-options.ts';
import {
  choice,
  commaList,
  count,
  days,
  exactText,
  freeText,
  groupList,
  headerSecret,
  host,
  identifier,
  limit,
  type OptionGroup,
  onOrOff,
  origin,
  port,
  proxies,
  secret,
  serverUri,
  share,
  signingSecret,
  signingSecrets,
  times,
  trueOrFalse,
  url,
  urls,
  wildcardOrigin,
} from './validators.ts';

/** An account's id (domain/ids.ts). */
const userIdPattern = /^[0-9a-f]{32}$/;

const mib = 1024 * 1024;

const addresses = {
  PORT: count(3000, 'Port to listen on; `0`: any free port', 0, 65_535),
  HOST: host(
    '127.0.0.1',
    'Address to listen on; `0.0.0.0`: all addresses, the default of `bin/dropleaf.js web`',
  ),
  BASE_URL: origin(
    'Public address of the service. Default: `http://HOST:PORT`, or localhost if HOST is all addresses',
  ),
  CONTENT_ORIGIN: wildcardOrigin(
    'Serves each drop from its own host name, such as `https://*.drops.example`; use a domain that serves nothing else',
  ),
  TRUST_PROXY: proxies(
    'Trusted proxies: how many, or their addresses and ranges. Only their `X-Forwarded-For` is used',
  ),
  METRICS_PORT: port(
    'Port on which each process serves its metrics for Prometheus; `0`: any free port, which is logged. Default: none',
  ),
  METRICS_HOST: host('127.0.0.1', 'Address for METRICS_PORT. Anybody who reaches it can read the metrics'),
  QUEUES_WRITABLE: trueOrFalse(
    false,
    'Lets the pages of the job queue (`/queues` on METRICS_PORT, scale-out engine) retry, remove and add jobs; anybody who ' +
      'reaches the port can use them',
  ),
  INDEXABLE: trueOrFalse(false, 'Lets search engines list public pages'),
} as const satisfies OptionGroup;

const data = {
  DATA_DIR: exactText(
    './data',
    ', and rename the folder if its name has it',
    'Data directory (embedded engine only), relative to the current directory',
  ),
  SQLITE_CHECKPOINTS: choice(
    ['internal', 'external'],
    'internal',
    'Who shortens the write-ahead log of SQLite: `external` if Litestream does (`deploy/litestream.yml`)',
  ),
  MONGODB_URI: serverUri(
    ['mongodb://', 'mongodb+srv://'],
    'MongoDB server; together with `REDIS_URL` it selects the scale-out engine. Default database: `dropleaf`',
  ),
  REDIS_URL: serverUri(['redis://', 'rediss://'], 'Redis server for the job queue, limits and view counts'),
  REDIS_PREFIX: exactText(
    'dropleaf',
    '. Where it was in use, stop all processes first: jobs and views below the old prefix are not found',
    'Redis key prefix',
  ),
  REDIS_TLS_REJECT_UNAUTHORIZED: trueOrFalse(
    true,
    'Requires a trusted certificate of Redis; `false` accepts self-signed certificates',
  ),
  MONGODB_CONNECTIONS: count(20, 'Maximum connections to MongoDB per process', 1, 1_000),
} as const satisfies OptionGroup;

const signInProvider = {
  GITHUB_CLIENT_ID: freeText(
    '',
    'Client id of the OAuth app. Default: people sign in with the local sign-in key',
  ),
  GITHUB_CLIENT_SECRET: secret('Client secret of the OAuth app'),
  GITHUB_URL: url('https://github.com', 'GitHub, GitHub Enterprise Server, Gitea or Forgejo'),
  GITHUB_API_URL: url(
    'https://api.github.com',
    'API of that server, such as `https://git.example/api/v3` or `https://git.example/api/v1`',
  ),
  OIDC_ISSUER: url(
    '',
    'Issuer of an OpenID provider, or the address of its discovery document, such as `https://login.example/realms/staff`',
  ),
  OIDC_CLIENT_ID: freeText('', 'Client id at that provider'),
  OIDC_CLIENT_SECRET: secret('Client secret at that provider; empty for a public client'),
  OIDC_NAME: freeText('', 'What the button says after “Continue with”. Default: the host of the issuer'),
  OIDC_SCOPES: freeText(
    'openid profile email',
    'Scopes that are asked for, separated by spaces; `offline_access` lets many providers give the refresh token with which groups are read again',
  ),
  OIDC_GROUPS_CLAIM: freeText('groups', 'Claim with the groups of a person'),
  OIDC_ALLOWED_GROUPS: groupList(
    'Groups whose people may sign in, separated by commas, exactly as the provider names them. Default: everybody whom the provider knows',
  ),
  OIDC_OPERATOR_GROUPS: groupList(
    'Groups whose people may use the pages under `/operators`, besides OPERATORS',
  ),
  OIDC_TRUST_EMAIL: onOrOff(
    false,
    'Whether addresses count that the provider does not call verified; only for a provider whose people cannot choose their address',
  ),
  SIGN_IN: commaList(
    /^(local|github|oidc)$/,
    'must be local, github or oidc, or several of them separated by commas',
    'Ways to sign in, separated by commas. Default: each provider that is configured; `local` (the sign-in key) if none is',
  ),
  SHARING: choice(
    ['link', 'named'],
    'link',
    '`named` asks GitHub for verified addresses, so that pages can be shared with people who sign in there; they sign in once more after the change',
  ),
  DEFAULT_ACCESS: choice(
    ['link', 'members'],
    'link',
    'Who may read a new drop for which neither the request nor its account says it: everybody who has its address, or every account',
  ),
  SIGNING_SECRET: signingSecret(
    'Secret that signs cookies and grants, 32 characters or more. Default: generated once and kept with the data',
  ),
  SIGNING_SECRETS_ACCEPTED: signingSecrets(
    'Additional secrets whose signatures are accepted, separated by commas',
  ),
} as const satisfies OptionGroup;

const reports = {
  REPORTS_PER_HOUR: limit(10, `Reports per address and hour${tenfold}`),
  REPORTS_PER_DROP_PER_HOUR: limit(20, 'Reports per drop and hour from all addresses'),
  REPORTS_OPEN_PER_DROP: limit(20, 'Open reports stored per drop; further reports are not stored', 1, 1_000),
  REPORTS_OPEN_MAX: count(
    10_000,
    'Open reports stored in all; further reports are refused (429)',
    1,
    100_000,
  ),
  REPORTS_KEEP_DAYS: count(90, 'Days after which a closed report is removed', 1, 3_650),
  AUDIT_KEEP_DAYS: days(
    'Days after which an entry of the operators’ log is removed. Default: entries stay for ever',
    1,
    36_500,
  ),
  REPORT_MAX_CHARACTERS: limit(2_000, 'Maximum length of the text of a report', 1, 20_000),
  OPERATORS: commaList(
    userIdPattern,
    'must be user ids separated by commas, 32 characters of 0-9 and a-f each, as /account and "bin/dropleaf.js admin find NAME" show them; names are not accepted, because with the local sign-in key anybody can choose one',
    'User ids of the accounts that may use the pages under `/operators`, separated by commas. Default: there are no such pages',
  ),
  // RFC 9116, section 2.5.3: a bare mail address is the usual mistake. A line break would add a field.
  SECURITY_CONTACT: commaList(
    /^(mailto:|https:\/\/|tel:)[\x21-\x7e]+$/,
    'must be mailto:, https: or tel: addresses separated by commas, such as mailto:security@drops.example',
    'Security contacts, separated by commas, preferred first; `/.well-known/security.txt` is served only if set',
  ),
  SECURITY_POLICY: commaList(
    /^https:\/\/[\x21-\x7e]+$/,
    'must be an https URL',
    'URL of the security policy in `security.txt`',
  ),
  SECURITY_LANGUAGES: commaList(
    /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/,
    'must be language tags separated by commas, such as en, de',
    'Languages of the security contacts',
  ),
} as const satisfies OptionGroup;

const processes = {
  BUFFERED_BYTES: count(
    128 * mib,
    'Memory for request bodies and unread responses; above it the client that holds most is disconnected',
    mib,
  ),
  REQUEST_SECONDS: count(60, 'Maximum time to receive a request', 1, 3_600),
  ANSWER_MS: count(
    4_500,
    'Maximum time in ms to answer a received request; then the answer is 503',
    100,
    600_000,
  ),
  READ_SECONDS: count(120, 'Seconds without progress after which an unread answer is cut off', 1, 3_600),
  MAX_CONNECTIONS: count(
    10_000,
    'Maximum open connections, less than `ulimit -n`; above it the network that has the most gives one up, idle ones first',
    10,
    1_000_000,
  ),
  SHUTDOWN_SECONDS: count(
    25,
    'Maximum time to shut down; requests get half of it, then jobs half of the rest',
    1,
    600,
  ),
  PAGE_CACHE_BYTES: count(48 * mib, 'Memory for cached pages', 0),
  RENDER_BUDGET_MS: count(2_000, 'Maximum time in ms to parse a document', 1, 60_000),
  RENDER_REQUEST_BUDGET_MS: count(
    300,
    'Maximum time in ms that a request waits for a page to be rendered',
    1,
    60_000,
  ),
  JOBS_AT_ONCE: count(4, 'Concurrent jobs per process', 1, 100),
  JOB_LOCK_SECONDS: count(30, 'Time after which a job of an unresponsive process may run again', 1, 3_600),
  JOB_STALL_SECONDS: count(
    30,
    'Interval at which workers look for jobs of unresponsive processes (Redis only)',
    1,
    3_600,
  ),
  LOG_LEVEL: choice(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info', 'Minimum log level'),
  LOG_RAW_SAMPLE: share(
    0.01,
    'Share of raw page requests to log; those that are answered 5xx are all logged',
  ),
} as const satisfies OptionGroup;

const edge = {
  EDGE_PURGER: choice(
    ['none', 'http', 'varnish', 'fastly', 'cloudflare'],
    'none',
    'How to purge changed pages from the cache or CDN (`deploy/README.md`); `http` POSTs `{"tag": …}` to `EDGE_PURGE_URL`',
  ),
  EDGE_PURGE_URL: urls(
    'Where purges are sent: the URL for `http`, or all Varnish servers, separated by commas; Fastly and Cloudflare: only to replace their public API',
  ),
  EDGE_PURGE_TOKEN: headerSecret(
    'Credential sent by the purger: a bearer token, or the API token of Fastly or Cloudflare',
  ),
  EDGE_FASTLY_SERVICE_ID: identifier(/^[A-Za-z0-9]{1,64}$/, 'Fastly service id'),
  EDGE_CLOUDFLARE_ZONE_ID: identifier(/^[0-9a-f]{32}$/, 'Cloudflare zone id'),
  EDGE_PURGE_AGAIN_SECONDS: times(
    '1,5,60',
    'Seconds after a purge at which it is repeated: a purge does not reach a page that the cache is fetching at that moment',
  ),
  EDGE_TTL_SECONDS: count(86_400, 'Maximum time in a shared cache; at most 5 s without a purger', 0),
} as const satisfies OptionGroup;

/** In the order of docs/settings.md. */
export const optionGroups: readonly (readonly [title: string, group: OptionGroup])[] = [
  ['Addresses', addresses],
  ['Data', data],
  ['Sign-in provider and signatures', signInProvider],
  ['Limits of writes', writeLimits],
  ['Limits of drops', dropLimits],
  ['Limits of fields', fieldLimits],
  ['Limits of lists', listLimits],
  ['Limits of sign-ins and passcodes', signInLimits],
  ['Reports, operators and security contacts', reports],
  ['Processes', processes],
  ['Cache or CDN', edge],
];

export const options = {
  ...addresses,
  ...data,
  ...signInProvider,
  ...writeLimits,
  ...dropLimits,
  ...fieldLimits,
  ...listLimits,
  ...signInLimits,
  ...reports,
  ...processes,
  ...edge,
} as const;
