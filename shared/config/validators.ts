import { isIP, isIPv6 } from 'node:net';
import { boolean, number, type Schema, string } from 'yup';
import { readContentOrigin } from './content-origin.ts';

/** One setting: an environment variable. */
export interface Option<T> {
  readonly schema: Schema<T>;
  /** The default, as it would be written in the environment; '': none. */
  readonly fallback: string;
  /** What the operator gets: for docs/settings.md. */
  readonly about: string;
  /** The value is never printed, and may come from the file that NAME_FILE names. */
  readonly secret?: true;
  /** An invalid value is not repeated in the error: a URL may contain a password. */
  readonly isHiddenInErrors?: true;
  /** White space at its ends is refused, because a running service uses it: what follows "remove it" in the error. */
  readonly exact?: string;
  /** Clients can reach this limit, so the discovery document contains it. */
  readonly isLimit?: true;
}

/** Settings of one heading in docs/settings.md, by their names. */
export type OptionGroup = Readonly<Record<string, Option<unknown>>>;

export function count(fallback: number, about: string, min = 1, max = 1_000_000_000): Option<number> {
  const schema = number()
    .typeError('must be a whole number')
    .integer('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);
  return { schema: schema.required(), fallback: String(fallback), about };
}

/** A `count` that is a limit for clients. */
export function limit(...args: Parameters<typeof count>): Option<number> & { readonly isLimit: true } {
  return { ...count(...args), isLimit: true };
}

/** A number from 0 to 1. */
export function share(fallback: number, about: string): Option<number> {
  const fault = 'must be a number from 0 to 1';
  const schema = number().typeError(fault).min(0, fault).max(1, fault).required();
  return { schema, fallback: String(fallback), about };
}

export function trueOrFalse(fallback: boolean, about: string): Option<boolean> {
  const schema = boolean().typeError('must be true or false').required();
  return { schema, fallback: String(fallback), about };
}

/** As `trueOrFalse`, also written `on` and `off`. */
export function onOrOff(fallback: boolean, about: string): Option<boolean> {
  const schema = boolean()
    .transform((value, given) => ({ on: true, off: false })[String(given)] ?? value)
    .typeError('must be on or off')
    .required();
  return { schema, fallback: fallback ? 'on' : 'off', about };
}

export function choice<const T extends string>(values: readonly T[], fallback: T, about: string): Option<T> {
  const schema = string<T>().oneOf(values, `must be one of ${values.join(', ')}`);
  return { schema: schema.required(), fallback, about };
}

export function freeText(fallback: string, about: string): Option<string> {
  return { schema: string().defined(), fallback, about };
}

/** A text that is used as it is. */
export function exactText(fallback: string, exact: string, about: string): Option<string> {
  return { ...freeText(fallback, about), exact };
}

/** A text that is empty or passes the test. */
function tested(fallback: string, about: string, fault: string, isValid: (value: string) => boolean) {
  const schema = string().defined();
  return { schema: schema.test('valid', fault, (value) => value === '' || isValid(value)), fallback, about };
}

/** The values of a list separated by commas; none for ''. */
export function splitList(value: string): string[] {
  return value === '' ? [] : value.split(',').map((part) => part.trim());
}

export function commaList(pattern: RegExp, fault: string, about: string): Option<string> {
  return tested('', about, fault, (value) => splitList(value).every((part) => pattern.test(part)));
}

/** Names of groups, which may have any character but a comma. */
export function groupList(about: string): Option<string> {
  return commaList(/^[^,\p{Cc}]{1,256}$/u, 'must be names of groups separated by commas', about);
}

export function identifier(pattern: RegExp, about: string): Option<string> {
  return tested('', about, `must match ${pattern}`, (value) => pattern.test(value));
}

export function url(fallback: string, about: string): Option<string> {
  const fault = 'must be a URL such as https://example.org, without user, password, "?" or "#"';
  return { ...tested(fallback, about, fault, isUrl), isHiddenInErrors: true };
}

export function urls(about: string): Option<string> {
  const fault =
    'must be URLs such as http://10.0.0.1:6081, separated by commas, without user, password or "?"';
  return { ...tested('', about, fault, (value) => splitList(value).every(isUrl)), isHiddenInErrors: true };
}

function isUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, search, hash, username, password } = new URL(value);
  return ['http:', 'https:'].includes(protocol) && search + hash + username + password === '';
}

/** A URL without a path. */
export function origin(about: string): Option<string> {
  const fault = 'must be a URL without a path, such as https://drops.example';
  const isOrigin = (value: string) => isUrl(value) && new URL(value).pathname === '/';
  return { ...tested('', about, fault, isOrigin), isHiddenInErrors: true };
}

/** A host name or address. Whether the machine has it shows when the service listens. */
export function host(fallback: string, about: string): Option<string> {
  const isHost = (value: string) =>
    isIPv6(value) ||
    (URL.canParse(`http://${value}`) && new URL(`http://${value}`).host === value.toLowerCase());
  return tested(fallback, about, 'must be a host name or address of this machine', isHost);
}

/** A port, or none. */
export function port(about: string): Option<string> {
  const isPort = (value: string) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
  return tested('', about, 'must be a port from 0 to 65535', isPort);
}

/** A number of days, or none. */
export function days(about: string, min: number, max: number): Option<string> {
  const isDays = (value: string) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max;
  return tested('', about, `must be a whole number from ${min} to ${max}`, isDays);
}

/** `https://*.drops.example` */
export function wildcardOrigin(about: string): Option<string> {
  const fault = 'must be https://*.DOMAIN, or http://*.DOMAIN:PORT for development, without a path';
  return tested('', about, fault, (value) => readContentOrigin(value) !== null);
}

/** Rising numbers of seconds, separated by commas. */
export function times(fallback: string, about: string): Option<string> {
  const fault = 'must be rising numbers of seconds from 0.001 to 3600, separated by commas, such as 1,5,60';
  const isTime = (part: string) => /^\d{1,4}(\.\d{1,3})?$/.test(part) && Number(part) <= 3_600;
  const isRising = (value: string) =>
    value.split(',').every((part, i, all) => isTime(part) && Number(part) > Number(all[i - 1] ?? 0));
  return tested(fallback, about, fault, isRising);
}

/** Express's `trust proxy`, without ranges of all addresses (`0.0.0.0/0`): any client could forge its address then. */
export function proxies(about: string): Option<string> {
  const fault = 'must be a number of proxies, or addresses and ranges such as 10.0.0.0/8, loopback';
  return tested('', about, fault, (value) => /^\d{1,2}$/.test(value) || splitList(value).every(isRange));
}

function isRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (maxBits === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= maxBits);
}

export function secret(about: string): Option<string> {
  return { ...freeText('', about), secret: true };
}

const signingSecretMinCharacters = 32;

export function signingSecret(about: string): Option<string> {
  const fault = `must be at least ${signingSecretMinCharacters} characters`;
  const isLong = (value: string) => value.length >= signingSecretMinCharacters;
  const exact = '. Where it was in use, people then sign in and unlock pages again';
  return { ...tested('', about, fault, isLong), secret: true, exact };
}

export function signingSecrets(about: string): Option<string> {
  const fault = `must be secrets of at least ${signingSecretMinCharacters} characters, separated by commas`;
  const areLong = (value: string) =>
    splitList(value).every(({ length }) => length >= signingSecretMinCharacters);
  return { ...tested('', about, fault, areLong), secret: true };
}

/** A credential in an HTTP header: the error for an invalid header would contain it. */
export function headerSecret(about: string): Option<string> {
  const fault = 'must be visible ASCII characters without spaces';
  const isToken = (value: string) => /^[\x21-\x7e]+$/.test(value);
  return { ...tested('', about, fault, isToken), secret: true, exact: ', also where it is checked' };
}

/** The address of a server with its credentials. */
export function serverUri(protocols: readonly string[], about: string): Option<string> {
  const fault = `must start with ${protocols.join(' or ')}`;
  const padded =
    'must have no white space, such as a line break or %0A, at an end of its user name or password: remove it, also on the server';
  const hasProtocol = (value: string) => protocols.some((protocol) => value.startsWith(protocol));
  const isTrimmed = (value: string) => credentialsIn(value).every((part) => part === part.trim());
  const { schema, ...option } = tested('', about, fault, hasProtocol);
  return { ...option, schema: schema.test('trimmed', padded, isTrimmed), secret: true };
}

/** User name and password of a URI, decoded; none if it has none. */
function credentialsIn(uri: string): string[] {
  const [authority = ''] = uri.slice(uri.indexOf('//') + 2).split(/[/?#]/, 1);
  const credentials = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  const [user = '', ...rest] = credentials.split(':');
  return [user, rest.join(':')].map(decoded);
}

/** As it is if its percent-encoding is wrong: the driver says so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
