import { randomBytes, randomInt } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Everything else in a path is `invalid_slug`. */
export const slugPattern = /^[A-Za-z0-9_-]{1,64}$/;

const slugLength = 12; // 71 random bits (62^12), so that slugs cannot be guessed
const timeDigits = 12; // 48 bits of milliseconds, in hex

/** 48 bits of time and 80 random bits, in hex. Ids sort by creation; the cleanup job can tell how old a blob is. */
export function newId(now: number): string {
  return idAt(now) + randomBytes(10).toString('hex');
}

/** Ids that are created at `time` (Unix ms) or later sort after it, earlier ids before it. */
export function idAt(time: number): string {
  return Math.max(0, Math.floor(time)).toString(16).padStart(timeDigits, '0');
}

export function newSlug(): string {
  return randomBase62(slugLength);
}

export function randomBase62(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += base62.charAt(randomInt(base62.length));
  return text;
}

/** The lowest `length` base62 digits of a number, with leading zeros. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / base62.length)) {
    text = base62.charAt(rest % base62.length) + text;
  }
  return text;
}
