import { isIP } from 'node:net';
import { boolean, number, type Schema, string } from 'yup';
import { readContentOrigin } from './content-origin.ts';

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

export function count(fallback: number, about: string, min = 1, max = 1_000_000_000): Option<number> {
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

export function ratio(fallback: number, about: string): Option<number> {
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

export function text(fallback: string, about: string): Option<string> {
  return { schema: string().defined(), fallback, about };
}

export function choice(values: readonly string[], fallback: string, about: string): Option<string> {
  return {
    schema: string()
      .oneOf(values, `must be one of ${values.join(', ')}`)
      .required(),
    fallback,
    about,
  };
}

/** An http or https address; '' where it may be unset. */
export function address(fallback: string, about: string): Option<string> {
  const fault = 'must be an address such as https://example.org, without a user, a password, "?" or "#"';
  return { schema: string().defined().test('address', fault, isAddress), fallback, about, guarded: true };
}

/** A host name for each drop below a domain; '' for none. */
export function wildcardOrigin(about: string): Option<string> {
  const isOne = (value: string) => value === '' || readContentOrigin(value) !== null;
  const fault = 'must be https://*.name, or for development http://*.name:port, with one "*." and no path';
  return { schema: string().defined().test('wildcard', fault, isOne), fallback: '', about };
}

/** Some of those, separated by commas. */
export function addresses(about: string): Option<string> {
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
export function times(fallback: string, about: string): Option<string> {
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
export function identifier(pattern: RegExp, about: string): Option<string> {
  const isOne = (value: string) => value === '' || pattern.test(value);
  const fault = `must match ${pattern}`;
  return { schema: string().defined().test('identifier', fault, isOne), fallback: '', about };
}

export function flag(fallback: boolean, about: string): Option<boolean> {
  return {
    schema: boolean().typeError('must be true or false').required(),
    fallback: String(fallback),
    about,
  };
}

/** What Express understands, but for "all of them": whoever asks could then name any address as their own. */
export function proxies(about: string): Option<string> {
  const fault = 'must be a number of hops, or addresses and ranges such as 10.0.0.0/8, loopback';
  return { schema: string().defined().test('proxies', fault, areProxies), fallback: '', about };
}

function areProxies(value: string): boolean {
  if (value === '' || /^\d{1,2}$/.test(value)) return true;
  return value.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/');
    if (['loopback', 'linklocal', 'uniquelocal'].includes(part.trim())) return true;
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return (
      most > 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && +bits > 0 && +bits <= most))
    );
  });
}

export function secret(about: string): Option<string> {
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
export function headerSecret(about: string): Option<string> {
  const fault = 'must be visible ASCII characters, without spaces';
  const schema = string()
    .defined()
    .test('token', fault, (value) => /^[\x21-\x7e]*$/.test(value));
  return { schema, fallback: '', about, secret: true };
}

/** Where a server is, credentials and all: shown to nobody. */
export function uri(protocols: readonly string[], about: string): Option<string> {
  const isOne = (value: string) =>
    value === '' || protocols.some((protocol) => value.startsWith(`${protocol}//`));
  const fault = `must start with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return { schema: string().defined().test('uri', fault, isOne), fallback: '', about, secret: true };
}
