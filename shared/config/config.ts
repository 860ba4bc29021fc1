import { type InferType, ValidationError } from 'yup';
import { areRelated, readContentOrigin } from './content-origin.ts';
import { optionGroups, options } from './options.ts';
import { type Option, splitList } from './validators.ts';

export { findMisspelled } from './misspelled.ts';
export { optionGroups, options, splitList };

type Values = { readonly [K in keyof typeof options]: InferType<(typeof options)[K]['schema']> };
export type OptionName = keyof typeof options;

export interface Config extends Values {
  /** An origin in the form of `URL.origin`: without a trailing slash or a default port. */
  readonly BASE_URL: string;
}

/** Lists every invalid setting, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 setting is' : `${problems.length} settings are`;
    super(`${count} invalid:\n  ${problems.join('\n  ')}`);
  }
}

interface ReadOptions {
  /** Why a value could not be read: a text that follows the name. */
  readonly unread?: ReadonlyMap<OptionName, string>;
  /** The process listens on PORT; a worker does not. */
  readonly listens?: boolean;
}

/**
 * Pure; white space at the ends of a value is ignored, or refused where a value is used as it is; an empty value is the same as
 * none. @throws ConfigError listing every invalid setting
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  { unread = new Map(), listens = false }: ReadOptions = {},
): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, option] of optionEntries()) {
    try {
      const reason = unread.get(name);
      if (reason === undefined) values[name] = readValue(option, env[name] ?? '');
      else problems.push(`${name} ${reason}`);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      const isHidden = option.secret || option.isHiddenInErrors;
      problems.push(`${name} ${error.message}${isHidden ? '' : ` (got ${JSON.stringify(env[name])})`}`);
    }
  }
  const config = values as unknown as Config; // proof: each value has its schema's type, or there is a problem
  problems.push(...findContradictions(config));
  if (listens) problems.push(...findSharedPort(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...config, BASE_URL: new URL(config.BASE_URL || defaultBaseUrl(config)).origin };
}

/** @param given as it is in the environment @throws ValidationError */
function readValue({ schema, fallback, exact }: Option<unknown>, given: string): unknown {
  const value = given.trim();
  if (exact !== undefined && value !== given) {
    throw new ValidationError(
      `must not begin or end with white space, such as a line break: remove it${exact}`,
    );
  }
  return schema.validateSync(value || fallback);
}

/** The same settings with the port that the system chose for PORT=0. */
export function atPort(config: Config, port: number): Config {
  const isSet = config.BASE_URL !== new URL(defaultBaseUrl(config)).origin;
  const moved = { ...config, PORT: port };
  return isSet ? moved : { ...moved, BASE_URL: new URL(defaultBaseUrl(moved)).origin };
}

/** Every setting with its value as text; a secret's value is hidden. */
export function describeConfig(config: Config): { name: OptionName; value: string; isDefault: boolean }[] {
  return optionEntries().map(([name, option]) => {
    const value = String(config[name]);
    const isHidden = option.secret && value !== '';
    return { name, value: isHidden ? '(set, hidden)' : value, isDefault: value === option.fallback };
  });
}

export function optionEntries(): [OptionName, Option<unknown>][] {
  return Object.entries(options) as [OptionName, Option<unknown>][]; // proof: the literal's own keys
}

/** A way by which people sign in; `local` is the sign-in key. */
export type SignInWay = 'local' | 'github' | 'oidc';

/** At least one, in the order in which the sign-in page shows them. */
export function signInWays({
  SIGN_IN,
  GITHUB_CLIENT_ID,
  OIDC_ISSUER,
}: Pick<Config, 'SIGN_IN' | 'GITHUB_CLIENT_ID' | 'OIDC_ISSUER'>): readonly SignInWay[] {
  const chosen = splitList(SIGN_IN) as SignInWay[]; // proof: the rule of SIGN_IN
  if (chosen.length > 0) return [...new Set(chosen)];
  const ways: SignInWay[] = [];
  if (OIDC_ISSUER !== '') ways.push('oidc');
  if (GITHUB_CLIENT_ID !== '') ways.push('github');
  return ways.length === 0 ? ['local'] : ways;
}

/** Whether people who sign in may have a verified address, so that a page can be shared with them by name. */
export function recognisesPeople(
  config: Pick<Config, 'SIGN_IN' | 'GITHUB_CLIENT_ID' | 'OIDC_ISSUER' | 'SHARING'>,
): boolean {
  const ways = signInWays(config);
  return ways.includes('oidc') || (ways.includes('github') && config.SHARING === 'named');
}

export function isHttps({ BASE_URL }: Pick<Config, 'BASE_URL'>): boolean {
  return BASE_URL.startsWith('https:');
}

/** Whether the data is in MongoDB and Redis, not in SQLite in `DATA_DIR`. */
export function isScaleOut(config: Pick<Config, 'MONGODB_URI'>): boolean {
  return config.MONGODB_URI !== '';
}

export function engineName(config: Pick<Config, 'MONGODB_URI'>): 'embedded' | 'scale-out' {
  return isScaleOut(config) ? 'scale-out' : 'embedded';
}

/** `people`, `people_add` and `people_remove`, each of 100 entries of 262 characters (drops/people.ts), as `\u00XX`. */
const peopleBytes = 3 * 100 * 262 * 6;

/** The size of the largest valid POST or PUT of a drop: JSON may write every byte of html and context as `\u00XX`. */
export function maxDropBodyBytes(config: Config): number {
  const tags =
    config.METADATA_MAX_KEYS * (config.METADATA_KEY_MAX_CHARACTERS + config.METADATA_VALUE_MAX_CHARACTERS);
  const characters =
    config.TITLE_MAX_CHARACTERS + config.DESCRIPTION_MAX_CHARACTERS + config.PASSCODE_MAX_CHARACTERS + tags;
  // A character is at most two escapes of six bytes. The rest is for the JSON around them and unknown fields.
  const rest = Math.max(640 * 1024, 12 * characters + peopleBytes + 64 * 1024);
  return 6 * (config.HTML_MAX_BYTES + config.CONTEXT_MAX_BYTES) + rest;
}

/** 5 s are promised, and nginx, which counts in whole seconds, keeps a page for up to a second more than `s-maxage`. */
export const unpurgedSeconds = 4;

/** How long a shared cache may keep a public raw page. Without a purger it shows changes only after that time. */
export function edgeSeconds({ EDGE_PURGER, EDGE_TTL_SECONDS }: Config): number {
  return EDGE_PURGER === 'none' ? Math.min(EDGE_TTL_SECONDS, unpurgedSeconds) : EDGE_TTL_SECONDS;
}

/** The URLs of EDGE_PURGE_URL, without trailing slashes. */
export function edgeUrls(config: Config): string[] {
  return splitList(config.EDGE_PURGE_URL ?? '').map((address) => address.replace(/\/$/, ''));
}

/** The pause before each repetition of a purge in ms: `1,5,60` gives 1000, 4000, 55000. */
export function purgePauses(config: Pick<Config, 'EDGE_PURGE_AGAIN_SECONDS'>): number[] {
  const times = config.EDGE_PURGE_AGAIN_SECONDS.split(',').map((seconds) =>
    Math.round(Number(seconds) * 1_000),
  );
  return times.map((time, i) => time - (times[i - 1] ?? 0));
}

/** @param config invalid settings are missing */
function defaultBaseUrl({ HOST = '', PORT }: Partial<Config>): string {
  const host = HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

/** If the first is set, the second must be set. */
const pairs: readonly (readonly [OptionName, OptionName])[] = [
  ['REDIS_URL', 'MONGODB_URI'],
  ['MONGODB_URI', 'REDIS_URL'],
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['GITHUB_CLIENT_SECRET', 'GITHUB_CLIENT_ID'],
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID'],
  ['OIDC_CLIENT_ID', 'OIDC_ISSUER'],
  ['OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
  ['OIDC_ALLOWED_GROUPS', 'OIDC_ISSUER'],
  ['OIDC_OPERATOR_GROUPS', 'OIDC_ISSUER'],
];

/** The settings that each purger needs. */
const purgerSettings: Readonly<Record<string, readonly OptionName[]>> = {
  http: ['EDGE_PURGE_URL'],
  varnish: ['EDGE_PURGE_URL'],
  fastly: ['EDGE_FASTLY_SERVICE_ID', 'EDGE_PURGE_TOKEN'],
  cloudflare: ['EDGE_CLOUDFLARE_ZONE_ID', 'EDGE_PURGE_TOKEN'],
};

/** @param config settings without a value are ''. Invalid settings are missing, and no problem here is about them */
function findContradictions(config: Config): string[] {
  const { EDGE_PURGER: purger } = config;
  const problems = pairs
    .filter(([name, needed]) => config[name] && config[needed] === '')
    .map(([name, needed]) => `${needed} must be set if ${name} is set`);
  for (const name of purgerSettings[purger] ?? []) {
    if (config[name] === '') problems.push(`${name} must be set if EDGE_PURGER is ${purger}`);
  }
  if (purger !== 'varnish' && edgeUrls(config).length > 1) {
    problems.push(`EDGE_PURGE_URL must be one URL if EDGE_PURGER is ${purger}`);
  }
  for (const [min, max] of [
    ['PAGE_SIZE', 'PAGE_SIZE_MAX'],
    ['PASSCODE_MIN_CHARACTERS', 'PASSCODE_MAX_CHARACTERS'],
  ] as const) {
    if (config[min] > config[max])
      problems.push(`${min} must be at most ${max} (${config[min]} > ${config[max]})`);
  }
  return [...problems, ...findSignInProblems(config), ...findContentProblems(config)];
}

/** Invalid settings are missing. */
function findSignInProblems({
  SIGN_IN,
  GITHUB_CLIENT_ID,
  OIDC_ISSUER,
  OIDC_SCOPES,
}: Partial<Config>): string[] {
  const chosen = splitList(SIGN_IN ?? '');
  const problems: string[] = [];
  if (chosen.includes('github') && GITHUB_CLIENT_ID === '')
    problems.push('GITHUB_CLIENT_ID must be set if SIGN_IN has github');
  if (chosen.includes('oidc') && OIDC_ISSUER === '')
    problems.push('OIDC_ISSUER must be set if SIGN_IN has oidc');
  if (OIDC_SCOPES !== undefined && !OIDC_SCOPES.split(' ').includes('openid'))
    problems.push('OIDC_SCOPES must contain openid');
  return problems;
}

/** Two servers cannot listen on one port, unless each has an address of its own. Invalid settings are missing. */
function findSharedPort({ PORT, HOST, METRICS_PORT, METRICS_HOST }: Partial<Config>): string[] {
  if (!PORT || METRICS_PORT === undefined || METRICS_PORT === '' || Number(METRICS_PORT) !== PORT) return [];
  const hosts = [HOST, METRICS_HOST];
  const isShared =
    HOST === METRICS_HOST || hosts.includes('::') || (hosts.includes('0.0.0.0') && !hosts.some(isIPv6Host));
  return isShared ? [`PORT and METRICS_PORT are both ${PORT}: set another METRICS_PORT`] : [];
}

function isIPv6Host(host: string | undefined): boolean {
  return host?.includes(':') ?? false;
}

/** Pages of drops are hostile: a domain shared with the service would let them set its cookies. */
function findContentProblems(config: Config): string[] {
  const base = config.BASE_URL || defaultBaseUrl(config);
  const content = readContentOrigin(config.CONTENT_ORIGIN ?? '');
  if (content === null || !URL.canParse(base)) return [];
  const { protocol, hostname } = new URL(base);
  const problems: string[] = [];
  if (areRelated(content.domain, hostname.replace(/\.$/, ''))) {
    problems.push(
      `CONTENT_ORIGIN must be on another domain than BASE_URL: pages on ${content.domain} could set cookies for ${hostname}`,
    );
  }
  if (protocol === 'https:' && content.protocol !== 'https:') {
    problems.push(
      'CONTENT_ORIGIN must be https if BASE_URL is https: browsers block http frames in https pages',
    );
  }
  return problems;
}
