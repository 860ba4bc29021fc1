import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from '../domain/ids.ts';
import {
  addedLater,
  id,
  matching,
  oneOf,
  orAbsent,
  orNull,
  type RecordOf,
  record,
  sha256,
  text,
  time,
} from '../domain/record.ts';

const prefix = 'dl_';
const randomLength = 30;
const checkLength = 6;
const pattern = /^dl_[0-9A-Za-z]{36}$/;

/** A token's id in a path (spec 4.3). */
export const tokenIdPattern = /^[0-9a-f]{12}$/;

/** What a token may do: all that its account may, or publish alone (docs/decisions/tokens.md). */
export const scopes = ['all', 'publish'] as const;

export type Scope = (typeof scopes)[number];

export function isScope(text: unknown): text is Scope {
  return scopes.some((scope) => scope === text);
}

export const scopeField = addedLater(oneOf(scopes), 'all');

/** An API token. The token itself is not stored, only its SHA-256. */
export const tokenRecord = record('tokens', {
  /** The first 12 hex characters of the hash, as in `DELETE /api/tokens/{id}`. */
  id: matching(tokenIdPattern, 'an id of 12 hex digits'),
  hash: sha256(),
  accountId: id(),
  label: orNull(text()),
  createdAt: time(),
  /** Unix ms, updated at most once a minute; null until the first use. */
  lastUsedAt: orNull(time()),
  /** Unix ms; from then on the token is invalid. null: it does not expire. */
  expiresAt: orAbsent(time()),
  scope: scopeField,
});

export type Token = RecordOf<typeof tokenRecord>;

/** @param now Unix ms */
export function isExpiredToken({ expiresAt }: Pick<Token, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** `dl_`, 30 random base62 characters and their CRC32 in 6 more, so that a mistyped token is refused without a read. */
export function newToken(): string {
  const random = randomBase62(randomLength);
  return `${prefix}${random}${checksum(random)}`;
}

/** Whether the text has a token's form and checksum. The token may not exist. */
export function isWellFormedToken(text: string): boolean {
  if (!pattern.test(text)) return false;
  const random = text.slice(prefix.length, -checkLength);
  return text.endsWith(checksum(random));
}

/** The first well-formed token in a text that a person pasted, such as a header; null: none. */
export function tokenIn(text: string): string | null {
  return text.match(/dl_[0-9A-Za-z]{36}/g)?.find(isWellFormedToken) ?? null;
}

/** The text without anything that may be a token, or a part of one: for logs. */
export function maskTokens(text: string): string {
  return text.replace(/dl_[0-9A-Za-z]{8,}/g, 'dl_***');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function tokenIdOf(hash: string): string {
  return hash.slice(0, 12);
}

function checksum(random: string): string {
  return toBase62(crc32(prefix + random), checkLength);
}
