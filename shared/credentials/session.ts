import { createHash } from 'node:crypto';
import { randomBase62 } from '../domain/ids.ts';
import {
  addedLater,
  id,
  matching,
  orAbsent,
  type RecordOf,
  record,
  sha256,
  text,
  time,
} from '../domain/record.ts';

const secretLength = 43; // 256 bits
const secretPattern = /^[0-9A-Za-z]{43}$/;

/** From its last use on a session is valid for this time, in ms. */
export const sessionIdleMs = 30 * 24 * 60 * 60_000;

/** A session's id in a form. */
export const sessionIdPattern = /^[0-9a-f]{20}$/;

/** A person's signed-in browser. Its secret is in the browser's cookie only; stored is the secret's SHA-256. */
export const sessionRecord = record('sessions', {
  /** The first 20 hex characters of the hash (80 bits). */
  id: matching(sessionIdPattern, 'an id of 20 hex digits'),
  hash: sha256(),
  accountId: id(),
  /** Which browser it is, for the person: `Firefox on Windows`. */
  browser: text(),
  createdAt: time(),
  /** Unix ms, updated at most once a minute. */
  lastUsedAt: time(),
  /** Of the identity with which the person signed in; null: a session of an earlier release. */
  provider: addedLater(orAbsent(text()), null),
});

export type Session = RecordOf<typeof sessionRecord>;

export function newSessionSecret(): string {
  return randomBase62(secretLength);
}

/** @returns null for a text that cannot be a session's secret */
export function hashSessionSecret(secret: string): string | null {
  return secretPattern.test(secret) ? createHash('sha256').update(secret).digest('hex') : null;
}

export function sessionIdOf(hash: string): string {
  return hash.slice(0, 20);
}
