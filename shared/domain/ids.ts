import { randomBytes, randomInt } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** What a path may hold where a slug is expected; anything else is `invalid_slug` before any look-up. */
export const slugPattern = /^[A-Za-z0-9_-]{1,64}$/;

const slugLength = 12; // 62^12 is 71 bits: not to be guessed

const timeDigits = 12; // 48 bits of milliseconds, in hex

/**
 * An inner id: 48 bits of time and 80 random bits, in hex, so that ids sort by their birth
 * and the sweep can tell an old blob from one whose record is still to come.
 */
export function newId(now: number): string {
  return idAt(now) + randomBytes(10).toString('hex');
}

/** The smallest text that ids born at `time` (Unix ms) or later can start with. */
export function idAt(time: number): string {
  return Math.max(0, Math.floor(time)).toString(16).padStart(timeDigits, '0');
}

/** A public name for a drop. */
export function newSlug(): string {
  return randomBase62(slugLength);
}

/** Unbiased random letters and digits. */
export function randomBase62(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += base62.charAt(randomInt(base62.length));
  return text;
}

/** A number as exactly `length` base62 digits; higher digits are cut. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / base62.length)) {
    text = base62.charAt(rest % base62.length) + text;
  }
  return text;
}
