import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, suspended } from '../domain/errors.ts';
import type { SignInAge } from '../identities/sign-in-age.ts';
import type { Log } from '../log/log.ts';
import { inParts } from '../util/in-parts.ts';
import { retryOnCollision } from '../util/random-picks.ts';
import type { SessionStore } from './credential-stores.ts';
import { createUseRecorder } from './last-use.ts';
import {
  hashSessionSecret,
  newSessionSecret,
  type Session,
  sessionIdleMs,
  sessionIdOf,
  sessionIdPattern,
} from './session.ts';

/** More sessions than a person has: a further sign-in ends the one that was not used for longest. */
const sessionsPerAccount = 100;
const revokedAtOnce = 50;

/** A request of a signed-in browser. */
export interface SignedIn {
  readonly caller: Caller;
  readonly session: Session;
  readonly accountName: string;
  /** See `accountRecord`. */
  readonly commentsSeen: number;
}

/** Signed-in browsers. A session is never valid as a bearer token, nor a token as a session. */
export class Sessions {
  readonly #sessions: SessionStore;
  readonly #age: Pick<SignInAge, 'isOver'>;
  readonly #clock: Clock;
  readonly #recordUse;

  constructor(deps: {
    sessions: SessionStore;
    age: Pick<SignInAge, 'isOver'>;
    clock: Clock;
    log: Log;
  }) {
    const { sessions, age, clock, log } = deps;
    this.#sessions = sessions;
    this.#age = age;
    this.#clock = clock;
    this.#recordUse = createUseRecorder({ clock, log }, 'session', (...use) => sessions.touch(...use));
  }

  /**
   * @param browser a short description for the list @param provider of the identity with which the person has signed in @returns the
   *   secret for the browser's cookie, which is stored nowhere
   */
  async start(accountId: string, browser: string, provider: string): Promise<string> {
    const started = await retryOnCollision(async () => {
      const secret = newSessionSecret();
      const hash = hashSessionSecret(secret);
      if (hash === null) throw new Error('a new secret has the wrong form');
      const now = this.#clock.now();
      const id = sessionIdOf(hash);
      const session = { id, hash, accountId, browser, createdAt: now, lastUsedAt: now, provider };
      return (await this.#sessions.insert(session)) ? { id, secret } : null;
    });
    await this.#endExcess(accountId, started.id);
    return started.secret;
  }

  /** One indexed read. null: malformed, unknown, revoked, not used for 30 days, or its sign-in is too long ago (`SignInAge`). */
  async identify(secret: string): Promise<SignedIn | null> {
    const hash = hashSessionSecret(secret);
    if (hash === null) return null;
    const found = await this.#find(hash);
    if (found === null) return null;
    const { account } = found;
    const session = { ...found.credential, lastUsedAt: this.#recordUse(found.credential) };
    const confirm = async () => {
      const now = await this.#find(hash);
      if (now === null) throw invalidSession();
      if (now.account.isSuspended) throw suspended();
    };
    const { accountId } = session;
    const credential = { kind: 'session', session } as const;
    const caller = {
      accountId,
      countsAs: account.countsAs,
      defaultAccess: account.defaultAccess,
      credential,
      isSuspended: account.isSuspended,
      confirm,
    };
    return { caller, session, accountName: account.name, commentsSeen: account.commentsSeen };
  }

  /** The account's sessions, newest first. The caller's own shows this use, which is stored a moment later. */
  async list({ accountId, credential }: Caller): Promise<Session[]> {
    const own = credential.kind === 'session' ? credential.session : null;
    const listed = await this.#sessions.list(accountId, sessionsPerAccount);
    const valid = listed.filter((session) => this.#isValid(session));
    return valid.map((session) => (session.id === own?.id ? own : session));
  }

  /** Revokes a session of the account. @returns false if there is none with that id, or it was revoked before */
  async revoke({ accountId }: Caller, sessionId: string): Promise<boolean> {
    return sessionIdPattern.test(sessionId) && (await this.#sessions.revoke(accountId, sessionId));
  }

  /** Revokes every session of the account but the caller's own. @returns how many */
  revokeOthers({ accountId, credential }: Caller): Promise<number> {
    const exceptId = credential.kind === 'session' ? credential.session.id : null;
    return inParts(revokedAtOnce, (limit) => this.#sessions.revokeSome(accountId, limit, exceptId));
  }

  #isValid({ lastUsedAt }: Session): boolean {
    return this.#clock.now() < lastUsedAt + sessionIdleMs;
  }

  async #find(hash: string) {
    const found = await this.#sessions.findByHash(hash);
    if (found === null || !this.#isValid(found.credential)) return null;
    return (await this.#age.isOver(found.credential)) ? null : found;
  }

  /** Ends those that are above the cap. An account of an earlier release may have more: each sign-in ends some of them. */
  async #endExcess(accountId: string, ownId: string): Promise<void> {
    const listed = await this.#sessions.list(accountId, 2 * sessionsPerAccount);
    const others = listed.filter(({ id }) => id !== ownId).toReversed();
    others.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    const excess = others.slice(0, Math.max(0, listed.length - sessionsPerAccount));
    for (const { id } of excess) await this.#sessions.revoke(accountId, id);
  }
}

export function invalidSession(): DropError {
  return new DropError('unauthorized', 'You are signed out: sign in, and try again.');
}
