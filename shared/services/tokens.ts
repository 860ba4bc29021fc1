import type { Caller } from '../domain/account.ts';
import { DropError, notFound, suspended } from '../domain/errors.ts';
import { hashToken, isWellFormedToken, newToken, type Token, tokenIdOf } from '../domain/token.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { TokenStore } from '../ports/token-store.ts';
import { retryOnCollision } from '../util/retry-on-collision.ts';
import { createThrottledWarning } from './throttled-warning.ts';

/** The use of a token is noted at most once in this time. */
const noteUseEveryMs = 60_000;

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens(deps: { tokens: TokenStore; clock: Clock; log: Log }) {
  const { tokens, clock, log } = deps;
  const warnOfNoNote = createThrottledWarning({ clock, log }, "a token's use could not be noted");
  /** Tokens whose use is being noted: one note at a time for each, however long the store takes. */
  const beingNoted = new Set<string>();

  /** Writes the use down without holding up the request; a failure costs a stale `last_used_at`, no more. */
  function noteUse(token: Token): Token {
    const now = clock.now();
    const unlessSince = now - noteUseEveryMs;
    if (token.lastUsedAt !== null && token.lastUsedAt > unlessSince) return token;
    if (!beingNoted.has(token.id)) {
      beingNoted.add(token.id);
      tokens
        .touch(token.id, now, unlessSince + 1)
        .catch((err: unknown) => warnOfNoNote({ err, tokenId: token.id }))
        .finally(() => beingNoted.delete(token.id));
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
     * Who makes the call (spec 5). One indexed read.
     * @param authorization the request's Authorization header
     * @throws DropError `unauthorized` without a bearer credential, `invalid_token` for one that is not good
     */
    async authenticate(authorization: string | undefined): Promise<Caller> {
      const bearer = readBearer(authorization);
      if (bearer === null) {
        throw new DropError('unauthorized', 'Send the header "Authorization: Bearer <API_TOKEN>".');
      }
      if (!isWellFormedToken(bearer)) {
        throw new DropError('invalid_token', 'The token is malformed: it may be mistyped or cut.');
      }
      const hash = hashToken(bearer);
      const { token, isSuspended } = await findValid(hash);
      const confirm = async () => {
        if ((await findValid(hash)).isSuspended) throw suspended();
      };
      const { accountId } = token;
      return { accountId, ownerId: accountId, token: noteUse(token), isSuspended, confirm };
    },

    /**
     * Makes a token and stores its record. The plaintext is in the answer and nowhere else.
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

    /** Takes back a token that was made and not revealed. */
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

/** The credential of a bearer header (RFC 6750, RFC 9110 section 11.1: the scheme's case does not matter). */
function readBearer(authorization: string | undefined): string | null {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? '');
  return match?.[1] ?? null;
}
