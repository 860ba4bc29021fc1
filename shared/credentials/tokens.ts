import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, notFound, suspended } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
import { retryOnCollision } from '../util/random-picks.ts';
import type { TokenStore } from './credential-stores.ts';
import { createUseRecorder } from './last-use.ts';
import { hashToken, isExpiredToken, isWellFormedToken, newToken, type Token, tokenIdOf } from './token.ts';

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens(deps: { tokens: TokenStore; clock: Clock; log: Log }) {
  const { tokens, clock, log } = deps;
  const recordUse = createUseRecorder({ clock, log }, 'token', tokens.touch);

  /** One indexed read. null: the token is unknown, was revoked or has expired. */
  async function findValid(hash: string) {
    const found = await tokens.findByHash(hash);
    return found === null || isExpiredToken(found.credential, clock.now()) ? null : found;
  }

  /** The caller with the token of that hash, by one indexed read. null: the token is unknown, was revoked or has expired. */
  async function identify(hash: string): Promise<Caller | null> {
    const found = await findValid(hash);
    if (found === null) return null;
    const token = { ...found.credential, lastUsedAt: recordUse(found.credential) };
    const confirm = async () => {
      const now = await findValid(hash);
      if (now === null) throw invalidToken();
      if (now.account.isSuspended) throw suspended();
    };
    const { isSuspended } = found.account;
    const { accountId } = token;
    return { accountId, ownerId: accountId, credential: { kind: 'token', token }, isSuspended, confirm };
  }

  return {
    /**
     * Spec 5. One indexed read. @param authorization the header @throws DropError `unauthorized` without a bearer credential,
     * `invalid_token` for a malformed, unknown, revoked or expired token
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
      const caller = await identify(hashToken(bearer));
      if (caller === null) throw invalidToken();
      return caller;
    },

    identify,

    /** Only the returned text contains the token. @param label null: none @param expiresAt Unix ms; null: it does not expire */
    async mint(accountId: string, label: string | null, expiresAt: number | null = null): Promise<string> {
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
          expiresAt,
        };
        return (await tokens.insert(record)) ? token : null;
      });
    },

    /** Revokes a token that was created and not shown. */
    async takeBack(accountId: string, token: string): Promise<void> {
      await tokens.revoke(accountId, tokenIdOf(hashToken(token)));
    },

    /** The account's active tokens, newest first. */
    async list({ accountId }: Pick<Caller, 'accountId'>): Promise<Token[]> {
      const now = clock.now();
      return (await tokens.list(accountId)).filter((token) => !isExpiredToken(token, now));
    },

    /** @param label null for none @throws DropError `not_found` when the account has no such token */
    async rename(
      { accountId }: Pick<Caller, 'accountId'>,
      tokenId: string,
      label: string | null,
    ): Promise<Token> {
      const token = await tokens.rename(accountId, tokenId, label);
      if (token === null || isExpiredToken(token, clock.now())) throw notFound('token');
      return token;
    },

    /** @throws DropError `not_found` when the account has no such token */
    async revoke({ accountId }: Pick<Caller, 'accountId'>, tokenId: string): Promise<void> {
      if (!(await tokens.revoke(accountId, tokenId))) throw notFound('token');
    },
  };
}

function invalidToken(): DropError {
  return new DropError('invalid_token', 'The token is unknown, was revoked or has expired.');
}

/** The credential of a bearer header; the scheme is case-insensitive (RFC 6750, RFC 9110 section 11.1). */
function readBearer(authorization: string | undefined): string | null {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? '');
  return match?.[1] ?? null;
}
