import type { Caller } from '../domain/account.ts';
import { DropError, notFound, suspended } from '../domain/errors.ts';
import { hashToken, isWellFormedToken, newToken, type Token, tokenIdOf } from '../domain/token.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { TokenStore } from '../ports/token-store.ts';
import { retryOnCollision } from '../util/retry-on-collision.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** A token's use is recorded at most once in this time. */
const recordUseEveryMs = 60_000;

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens(deps: { tokens: TokenStore; clock: Clock; log: Log }) {
  const { tokens, clock, log } = deps;
  const warnOfFailure = createThrottledWarning({ clock, log }, 'Recording the use of a token failed');
  /** Ids of tokens whose use is being recorded. */
  const recording = new Set<string>();

  /** Does not delay the request. After a failure, `last_used_at` is outdated. */
  function recordUse(token: Token): Token {
    const now = clock.now();
    const ifUsedBefore = now - recordUseEveryMs + 1;
    if (token.lastUsedAt !== null && token.lastUsedAt >= ifUsedBefore) return token;
    if (!recording.has(token.id)) {
      recording.add(token.id);
      tokens
        .touch(token.id, now, ifUsedBefore)
        .catch((err: unknown) => warnOfFailure({ err, tokenId: token.id }))
        .finally(() => recording.delete(token.id));
    }
    return { ...token, lastUsedAt: now };
  }

  async function findValid(hash: string) {
    const found = await tokens.findByHash(hash);
    if (found === null) throw new DropError('invalid_token', 'The token is unknown or has been revoked.');
    return found;
  }

  return {
    /**
     * Identifies the caller (spec 5) by one indexed read.
     * @param authorization the request's Authorization header
     * @throws DropError `unauthorized` without a bearer credential, `invalid_token` for a malformed, unknown or
     *   revoked token
     */
    async authenticate(authorization: string | undefined): Promise<Caller> {
      const bearer = readBearer(authorization);
      if (bearer === null) {
        throw new DropError('unauthorized', 'Send the header "Authorization: Bearer <API_TOKEN>".');
      }
      if (!isWellFormedToken(bearer)) {
        throw new DropError(
          'invalid_token',
          'The token is malformed: send the whole token, which begins with "dl_".',
        );
      }
      const hash = hashToken(bearer);
      const { token, isSuspended } = await findValid(hash);
      const confirm = async () => {
        if ((await findValid(hash)).isSuspended) throw suspended();
      };
      const { accountId } = token;
      return { accountId, ownerId: accountId, token: recordUse(token), isSuspended, confirm };
    },

    /**
     * Creates a token and stores its hash. Only the returned text contains the token.
     * @param label null for none
     */
    async mint(accountId: string, label: string | null): Promise<string> {
      return retryOnCollision(async () => {
        const token = newToken();
        const hash = hashToken(token);
        const record = {
          id: tokenIdOf(hash),
          hash,
          accountId,
          label,
          createdAt: clock.now(),
          lastUsedAt: null,
        };
        return (await tokens.insert(record)) === 'inserted' ? token : null;
      });
    },

    /** Revokes a token that was created and not shown. */
    async takeBack(accountId: string, token: string): Promise<void> {
      await tokens.revoke(accountId, tokenIdOf(hashToken(token)));
    },

    /** The account's active tokens, newest first. */
    list(caller: Caller): Promise<Token[]> {
      return tokens.list(caller.accountId);
    },

    /** @throws DropError `not_found` when the account has no such token */
    async revoke(caller: Caller, tokenId: string): Promise<void> {
      if (!(await tokens.revoke(caller.accountId, tokenId))) throw notFound('token');
    },
  };
}

/** The credential of a bearer header; the scheme is case-insensitive (RFC 6750, RFC 9110 section 11.1). */
function readBearer(authorization: string | undefined): string | null {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? '');
  return match?.[1] ?? null;
}
