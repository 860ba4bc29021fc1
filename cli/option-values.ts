import { InvalidArgumentError } from 'commander';
import { usageError } from './errors.ts';

/** The values of options and arguments, as commander reads them. */

/** A number from 1. */
export function readNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1.');
}

/** What a token may do. */
export function readScope(text: string): string {
  if (text === 'all' || text === 'publish') return text;
  throw new InvalidArgumentError('It must be all or publish.');
}

/** `90` or `9m`, a day at most. @returns seconds */
export function readTimeout(text: string): number {
  const seconds = text.endsWith('m') ? readNumber(text.slice(0, -1)) * 60 : readNumber(text);
  if (seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('It must be at most 86400, a day.');
}

/** `key=value`, as `--tag` takes it. @returns the pairs so far and this one @throws CliError */
export function addTag(text: string, tags: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw usageError(`--tag must be key=value, as in --tag project=demo (got ${text})`);
  const key = text.slice(0, at);
  if (Object.hasOwn(tags, key)) throw usageError(`--tag ${key} is given twice`);
  return { ...tags, [key]: text.slice(at + 1) };
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * `30m`, `12h`, `7d`, `2w` from now, or a date as `2027-01-31` (begins in UTC) or with a time. @param now Unix ms
 * @returns Unix ms; null: never @throws CliError
 */
export function readExpiry(text: string, now: number): number | null {
  if (text === 'never') return null;
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  let time = Number.NaN;
  if (count !== undefined) time = now + Number(count) * (unitMs[unit] ?? 0);
  else if (/^\d{4}-\d\d-\d\d/.test(text)) time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw usageError(`--expires must be as 30m, 12h, 7d, 2w, a date as 2027-01-31, or never (got ${text})`);
  }
  if (time <= now) throw usageError(`--expires must be in the future (got ${text})`);
  return time;
}
