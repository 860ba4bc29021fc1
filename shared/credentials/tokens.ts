import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, notFound, suspended, unavailable } from '../domain/errors.ts';
import { capTable, limitTable, maximumOf } from '../limits/limit-table.ts';
import { capReached, type Limits } from '../limits/limits.ts';
import type { Log } from '../log/log.ts';
import type { SignInStore } from '../sign-ins/sign-in-store.ts';
import { KeyedQueue } from '../util/keyed-queue.ts';
import { retryOnCollision } from '../util/random-picks.ts';
import type { CredentialPosition, TokenStore } from './credential-stores.ts';
import { createUseRecorder } from './last-use.ts';
import {
  hashToken,
  isExpiredToken,
  isWellFormedToken,
  newToken,
  type Scope,
  type Token,
  tokenIdOf,
} from './token.ts';

/** Tokens are counted up to so many: an account of an earlier release may have very many. */
export const tokensCounted = 1_000;

/** Of so many of the newest tokens, which is the default of the cap, those are found that were not used for longest. */
const comparedTokens = 200;

/** Requests of one account that ask for a token and wait for each other, in one process. */
const maxAsking = 50;

/** A part of the list of an account's tokens. */
export interface TokenPage {
  /** Active ones, newest first. */
  readonly tokens: readonly Token[];
  /** Where the next part begins; null: this is the last one. */
  readonly next: CredentialPosition | null;
}

/** A token that is to be made. */
export interface WantedToken {
  /** null: none. */
  readonly label: string | null;
  readonly scope: Scope;
  /** Unix ms; absent or null: it does not expire. */
  readonly expiresAt?: number | null;
}

/** Who asks for a token. */
export type Asking = Pick<Caller, 'accountId' | 'countsAs'>;

/** The tokens of accounts, for the API and the dashboard, over the store of tokens. */
export class Tokens {
  readonly #tokens: TokenStore;
  readonly #signIns: Pick<SignInStore, 'countVerified'>;
  readonly #limits: Pick<Limits, 'take'>;
  readonly #clock: Clock;
  readonly #config: { readonly TOKENS_PER_ACCOUNT: number };
  readonly #recordUse;
  readonly #asking = new KeyedQueue(1, maxAsking);

  constructor(deps: {
    tokens: TokenStore;
    signIns: Pick<SignInStore, 'countVerified'>;
    limits: Pick<Limits, 'take'>;
    clock: Clock;
    log: Log;
    config: { readonly TOKENS_PER_ACCOUNT: number };
  }) {
    const { tokens, clock, log } = deps;
    this.#tokens = tokens;
    this.#signIns = deps.signIns;
    this.#limits = deps.limits;
    this.#clock = clock;
    this.#config = deps.config;
    this.#recordUse = createUseRecorder({ clock, log }, 'token', (...use) => tokens.touch(...use));
  }

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
    const caller = await this.identify(hashToken(bearer));
    if (caller === null) throw invalidToken();
    return caller;
  }

  /** The caller with the token of that hash, by one indexed read. null: the token is unknown, was revoked or has expired. */
  async identify(hash: string): Promise<Caller | null> {
    const found = await this.#findValid(hash);
    if (found === null) return null;
    const token = { ...found.credential, lastUsedAt: this.#recordUse(found.credential) };
    const confirm = async () => {
      const now = await this.#findValid(hash);
      if (now === null) throw invalidToken();
      if (now.account.isSuspended) throw suspended();
    };
    const { isSuspended, countsAs, defaultAccess } = found.account;
    const { accountId } = token;
    const credential = { kind: 'token', token } as const;
    return { accountId, countsAs, defaultAccess, credential, isSuspended, confirm };
  }

  /** Whether the account may have one more token. A sign-in that it has approved counts as the token that it will have. */
  async hasRoom(accountId: string): Promise<boolean> {
    const now = this.#clock.now();
    const most = maximumOf(capTable.tokens, this.#config);
    const active = await this.#tokens.countActive(accountId, now, most);
    if (active >= most) return false;
    return active + (await this.#signIns.countVerified(accountId, now)) < most;
  }

  /** @throws DropError `quota_exceeded` */
  async checkRoom(accountId: string): Promise<void> {
    if (await this.hasRoom(accountId)) return;
    throw capReached(capTable.tokens, this.#config);
  }

  /**
   * Does what makes a token, or approves one that a poll makes, which is never refused: the cap and the rate are checked here.
   * Requests of one account wait for each other; those of several processes at the same moment may pass the cap, all together by
   * less than NEW_TOKENS_PER_ACCOUNT.
   * @throws DropError `quota_exceeded` and nothing is done; `unavailable` if too many wait
   */
  async ask<T>({ accountId, countsAs }: Asking, make: () => Promise<T>): Promise<T> {
    const done = await this.#asking.run(accountId, async () => {
      await this.checkRoom(accountId);
      await this.#limits.take(limitTable.token, countsAs);
      return { made: await make() };
    });
    if (done === undefined) throw unavailable('Too many tokens are asked for at once: try again.');
    return done.made;
  }

  /** As `mint`, for a person. @throws DropError as `ask` */
  create(asking: Asking, wanted: WantedToken): Promise<string> {
    return this.ask(asking, () => this.mint(asking.accountId, wanted));
  }

  /** Only the returned text contains the token. */
  async mint(accountId: string, { label, expiresAt = null, scope }: WantedToken): Promise<string> {
    return retryOnCollision(async () => {
      const token = newToken();
      const hash = hashToken(token);
      const times = { createdAt: this.#clock.now(), lastUsedAt: null, expiresAt };
      const stored = { id: tokenIdOf(hash), hash, accountId, label, scope, ...times };
      const isStored = await this.#tokens.insert(stored);
      return isStored ? token : null;
    });
  }

  /** Revokes a token that was created and not shown. */
  async takeBack(accountId: string, token: string): Promise<void> {
    await this.#tokens.revoke(accountId, tokenIdOf(hashToken(token)));
  }

  /** A part of the account's tokens: at most `limit`, those that follow `after` (null: the newest). */
  async list(
    { accountId }: Pick<Caller, 'accountId'>,
    limit: number,
    after: CredentialPosition | null = null,
  ): Promise<TokenPage> {
    const found = await this.#tokens.list(accountId, limit + 1, after);
    const now = this.#clock.now();
    const part = found.slice(0, limit);
    const next = found.length > limit ? (part.at(-1) ?? null) : null;
    return { tokens: part.filter((token) => !isExpiredToken(token, now)), next };
  }

  /** Of its newest tokens those that were not used for longest, the longest first: which a person may want to revoke. */
  async listLeastUsed({ accountId }: Pick<Caller, 'accountId'>, limit: number): Promise<Token[]> {
    const now = this.#clock.now();
    const listed = await this.#tokens.list(accountId, comparedTokens);
    const active = listed.filter((token) => !isExpiredToken(token, now));
    const lastUse = ({ lastUsedAt, createdAt }: Token) => lastUsedAt ?? createdAt;
    return active.sort((a, b) => lastUse(a) - lastUse(b)).slice(0, limit);
  }

  /** How many active tokens the account has; `atMost` if it has as many or more. */
  count({ accountId }: Pick<Caller, 'accountId'>, atMost: number): Promise<number> {
    return this.#tokens.countActive(accountId, this.#clock.now(), atMost);
  }

  /** One read. @throws DropError `not_found` when the account has no such token */
  async find({ accountId }: Pick<Caller, 'accountId'>, tokenId: string): Promise<Token> {
    const token = await this.#tokens.find(tokenId);
    const isActive = token?.accountId === accountId && !isExpiredToken(token, this.#clock.now());
    if (token === null || !isActive) throw notFound('token');
    return token;
  }

  /** @param label null for none @throws DropError `not_found` when the account has no such token */
  async rename(
    { accountId }: Pick<Caller, 'accountId'>,
    tokenId: string,
    label: string | null,
  ): Promise<Token> {
    const token = await this.#tokens.rename(accountId, tokenId, label);
    if (token === null || isExpiredToken(token, this.#clock.now())) throw notFound('token');
    return token;
  }

  /** @throws DropError `not_found` when the account has no such token */
  async revoke({ accountId }: Pick<Caller, 'accountId'>, tokenId: string): Promise<void> {
    if (!(await this.#tokens.revoke(accountId, tokenId))) throw notFound('token');
  }

  /** One indexed read. null: the token is unknown, was revoked or has expired. */
  async #findValid(hash: string) {
    const found = await this.#tokens.findByHash(hash);
    return found === null || isExpiredToken(found.credential, this.#clock.now()) ? null : found;
  }
}

function invalidToken(): DropError {
  return new DropError('invalid_token', 'The token is unknown, was revoked or has expired.');
}

/** The credential of a bearer header; the scheme is case-insensitive (RFC 6750, RFC 9110 section 11.1). */
function readBearer(authorization: string | undefined): string | null {
  const match = /^bearer +(\S+) *$/i.exec(authorization ?? '');
  return match?.[1] ?? null;
}
