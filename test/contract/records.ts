import type { NewDrop, NewVersion } from '../../shared/domain/drop.ts';
import { htmlMediaType } from '../../shared/domain/drop.ts';
import { newId, newSlug, randomBase62 } from '../../shared/domain/ids.ts';
import { reportIdLength } from '../../shared/domain/report.ts';
import type { SignIn } from '../../shared/domain/sign-in.ts';
import { hashToken, newToken, type Token, tokenIdOf } from '../../shared/domain/token.ts';
import type { NewReport } from '../../shared/ports/report-store.ts';

/** A moment, and a while after it. */
export const start = Date.UTC(2026, 0, 31, 12);
export const later = start + 60_000;

export function aVersion(changes: Partial<NewVersion> = {}): NewVersion {
  const createdAt = changes.createdAt ?? start;
  return {
    id: newId(createdAt),
    sizeBytes: 1_000,
    hasContext: false,
    mediaType: htmlMediaType,
    createdAt,
    ...changes,
  };
}

export function aDrop(changes: Partial<NewDrop> = {}): NewDrop {
  const version = changes.version ?? aVersion();
  return {
    id: newId(version.createdAt),
    ownerId: 'owner',
    slug: newSlug(),
    title: 'A title',
    description: null,
    metadata: new Map(),
    lock: null,
    version,
    ...changes,
  };
}

export function aSignIn(changes: Partial<SignIn> = {}): SignIn {
  return {
    id: newId(start),
    codeHash: newId(start),
    pollHash: newId(start),
    label: 'laptop',
    requester: { address: '192.0.2.1', userAgent: 'curl/8.0' },
    status: 'pending',
    accountId: null,
    createdAt: start,
    expiresAt: start + 600_000,
    ...changes,
  };
}

export function aToken(changes: Partial<Token> = {}): Token {
  const hash = hashToken(newToken());
  return {
    id: tokenIdOf(hash),
    hash,
    accountId: 'account',
    label: null,
    createdAt: start,
    lastUsedAt: null,
    ...changes,
  };
}

export function aReport(changes: Partial<NewReport> = {}): NewReport {
  return {
    id: randomBase62(reportIdLength),
    dropId: 'd1',
    slug: 'abc',
    version: 2,
    reason: 'phishing',
    text: 'It asks for\nmy password \u{1f343}',
    contact: 'me@reader.example',
    createdAt: start,
    ...changes,
  };
}

/** The outcomes of so many calls at once. */
export function inParallel<T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
}
