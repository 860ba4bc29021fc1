import { isIPv6 } from 'node:net';
import { type InferType, ValidationError } from 'yup';
import { splitList } from './abuse.ts';
import { areRelated, readContentOrigin } from './content-origin.ts';
import { type Option, splitAddresses } from './kinds.ts';
import { options } from './options.ts';

export { options, splitList };

type Values = { readonly [K in keyof typeof options]: InferType<(typeof options)[K]['schema']> };
export type OptionName = keyof typeof options;

/** The settings in force, checked, with what follows from them. */
export interface Config extends Values {
  /** An origin as browsers write it: no trailing slash, no default port. */
  readonly BASE_URL: string;
}

/** Every fault of the configuration at once, one to a line, each with the name of its setting. */
class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/**
 * Reads the settings from an environment. Pure; an empty value counts as unset.
 * @param unread what stands in the way of a value that the environment only points to, after the setting's name
 * @throws ConfigError naming every fault
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  unread: ReadonlyMap<OptionName, string> = new Map(),
): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, option] of optionEntries()) {
    const known = unread.get(name);
    if (known !== undefined) {
      faults.push(`${name} ${known}`);
      continue;
    }
    try {
      values[name] = option.schema.validateSync(env[name] || option.fallback);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      faults.push(
        `${name} ${error.message}${option.secret || option.guarded ? '' : ` (it is "${env[name]}")`}`,
      );
    }
  }
  const config = values as unknown as Config; // proof: one value of its schema's type for each option, or a fault
  faults.push(...findContradictions(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...config, BASE_URL: new URL(config.BASE_URL || defaultBaseUrl(config)).origin };
}

/** The same settings at another port: the one that is had where any was asked for. */
export function atPort(config: Config, port: number): Config {
  const isOwn = config.BASE_URL !== new URL(defaultBaseUrl(config)).origin;
  const moved = { ...config, PORT: port };
  return isOwn ? moved : { ...moved, BASE_URL: new URL(defaultBaseUrl(moved)).origin };
}

/** The settings as text, for people: secrets only as set or unset. */
export function describeConfig(config: Config): { name: OptionName; value: string; isDefault: boolean }[] {
  return optionEntries().map(([name, option]) => {
    const value = String(config[name]);
    return {
      name,
      value: option.secret ? (value === '' ? '' : '(set, hidden)') : value,
      isDefault: value === option.fallback,
    };
  });
}

export function optionEntries(): [OptionName, Option<unknown>][] {
  return Object.entries(options) as [OptionName, Option<unknown>][]; // proof: the literal's own keys
}

/** Whether the public address is one that browsers reach over TLS only. */
export function isHttps({ BASE_URL }: Pick<Config, 'BASE_URL'>): boolean {
  return BASE_URL.startsWith('https:');
}

/** Which engine the settings choose: MongoDB and Redis, or SQLite in `DATA_DIR`. */
export function isScaleOut(config: Pick<Config, 'MONGODB_URI'>): boolean {
  return config.MONGODB_URI !== '';
}

/** The largest body that a legal POST or PUT of a drop can have: every byte of html and context as `\u00XX`. */
export function maxDropBodyBytes(config: Config): number {
  const tags =
    config.METADATA_MAX_KEYS * (config.METADATA_KEY_MAX_CHARACTERS + config.METADATA_VALUE_MAX_CHARACTERS);
  const characters =
    config.TITLE_MAX_CHARACTERS + config.DESCRIPTION_MAX_CHARACTERS + config.PASSCODE_MAX_CHARACTERS + tags;
  // A character is at most two escapes of six bytes; then the JSON around it all, and what will be ignored.
  const rest = Math.max(640 * 1024, 12 * characters + 64 * 1024);
  return 6 * (config.HTML_MAX_BYTES + config.CONTEXT_MAX_BYTES) + rest;
}

/** How long a shared cache may keep a public raw page: short where nothing can tell it of a change. */
export function edgeSeconds(config: Config): number {
  return config.EDGE_PURGER === 'none' ? Math.min(config.EDGE_TTL_SECONDS, 5) : config.EDGE_TTL_SECONDS;
}

/** Where purges go, without a trailing slash. */
export function edgeAddresses(config: Config): string[] {
  return splitAddresses(config.EDGE_PURGE_URL ?? '').map((address) => address.replace(/\/$/, ''));
}

/** Between one purge and its next repeat, in ms. */
export function purgePauses(config: Pick<Config, 'EDGE_PURGE_AGAIN_SECONDS'>): number[] {
  const times = config.EDGE_PURGE_AGAIN_SECONDS.split(',').map((seconds) =>
    Math.round(Number(seconds) * 1_000),
  );
  return times.map((time, i) => time - (times[i - 1] ?? 0));
}

function defaultBaseUrl(config: Config): string {
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.PORT}`;
}

/** A setting that is a fault of its own is missing here, which is something else than unset. */
function findContradictions(config: Config): string[] {
  const faults: string[] = [];
  const unmet = (met: boolean, fault: string) => met || faults.push(fault);
  unmet(
    !config.REDIS_URL || config.MONGODB_URI !== '',
    'MONGODB_URI is unset while REDIS_URL is set: set both, or neither',
  );
  unmet(
    !config.MONGODB_URI || config.REDIS_URL !== '',
    'REDIS_URL is unset while MONGODB_URI is set: set both, or neither',
  );
  unmet(isHost(config.HOST), `HOST must be a name or an address of this machine (it is "${config.HOST}")`);
  unmet(isOrigin(config.BASE_URL), 'BASE_URL must have no path: the service has its host to itself');
  faults.push(...findContentFaults(config));
  unmet(
    !config.GITHUB_CLIENT_ID || config.GITHUB_CLIENT_SECRET !== '',
    'GITHUB_CLIENT_SECRET is unset while GITHUB_CLIENT_ID is set',
  );
  unmet(
    !config.GITHUB_CLIENT_SECRET || !!config.GITHUB_CLIENT_ID,
    'GITHUB_CLIENT_ID is unset while GITHUB_CLIENT_SECRET is set',
  );
  faults.push(...findSigningFaults(config));
  faults.push(...findEdgeFaults(config));
  // Of two numbers one may be missing, because it is a fault of its own: then they contradict nothing.
  unmet(!(config.PAGE_SIZE > config.PAGE_SIZE_MAX), 'PAGE_SIZE must be at most PAGE_SIZE_MAX');
  unmet(
    !(config.PASSCODE_MIN_CHARACTERS > config.PASSCODE_MAX_CHARACTERS),
    'PASSCODE_MIN_CHARACTERS must be at most PASSCODE_MAX_CHARACTERS',
  );
  return faults;
}

function findSigningFaults({
  SIGNING_SECRET: signing,
  SIGNING_SECRETS_ACCEPTED: others = '',
}: Config): string[] {
  const faults: string[] = [];
  if (signing && signing.length < 32) faults.push('SIGNING_SECRET must have at least 32 characters');
  if (splitAddresses(others).some((each) => each.length < 32)) {
    faults.push('SIGNING_SECRETS_ACCEPTED must be secrets of at least 32 characters, separated by commas');
  }
  return faults;
}

/** What is served at the content hosts is hostile: no cookie of theirs may reach ours, nor the other way round. */
function findContentFaults(config: Config): string[] {
  const base = config.BASE_URL || defaultBaseUrl(config);
  const content = readContentOrigin(config.CONTENT_ORIGIN ?? '');
  if (content === null || !URL.canParse(base)) return [];
  const { protocol, hostname } = new URL(base);
  const faults: string[] = [];
  if (areRelated(content.domain, hostname.replace(/\.$/, ''))) {
    faults.push(
      `CONTENT_ORIGIN must be below another domain than BASE_URL: with ${content.domain} and ${hostname} pages could set cookies for the service`,
    );
  }
  if (protocol === 'https:' && content.protocol !== 'https:') {
    faults.push('CONTENT_ORIGIN must be https where BASE_URL is: browsers show no http page in an https one');
  }
  return faults;
}

/** What each purger needs. */
const neededBy: Readonly<Record<string, readonly OptionName[]>> = {
  http: ['EDGE_PURGE_URL'],
  varnish: ['EDGE_PURGE_URL'],
  fastly: ['EDGE_FASTLY_SERVICE_ID', 'EDGE_PURGE_TOKEN'],
  cloudflare: ['EDGE_CLOUDFLARE_ZONE_ID', 'EDGE_PURGE_TOKEN'],
};

function findEdgeFaults(config: Config): string[] {
  const { EDGE_PURGER: purger } = config;
  const faults = (neededBy[purger] ?? [])
    .filter((name) => config[name] === '')
    .map((name) => `${name} is unset while EDGE_PURGER is ${purger}`);
  if (purger !== 'varnish' && edgeAddresses(config).length > 1) {
    faults.push(`EDGE_PURGE_URL must be one address while EDGE_PURGER is ${purger}`);
  }
  return faults;
}

/** Whether it can stand in an address; whether the machine has it shows when it listens. */
function isHost(host: string): boolean {
  return (
    isIPv6(host) || (URL.canParse(`http://${host}`) && new URL(`http://${host}`).host === host.toLowerCase())
  );
}

/** Also for what is unset, or is no address at all, which is a fault of its own. */
function isOrigin(address: string): boolean {
  return !URL.canParse(address) || new URL(address).pathname === '/';
}
