import type { Caller } from '../accounts/account.ts';
import type { Clock } from '../domain/clock.ts';
import { DropError, suspended } from '../domain/errors.ts';
import type { Log } from '../log/log.ts';
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

/** More sessions than a person has; older ones are not listed, and are revoked with all others. */
const listedSessions = 100;

/** A request of a signed-in browser. */
export interface SignedIn {
  readonly caller: Caller;
  readonly session: Session;
  readonly accountName: string;
}

/** Signed-in browsers. A session is never valid as a bearer token, nor a token as a session. */
export function createSessions(deps: { sessions: SessionStore; clock: Clock; log: Log }) {
  const { sessions, clock, log } = deps;
  const recordUse = createUseRecorder({ clock, log }, 'session', sessions.touch);

  function isValid({ lastUsedAt }: Session): boolean {
    return clock.now() < lastUsedAt + sessionIdleMs;
  }

  async function find(hash: string) {
    const found = await sessions.findByHash(hash);
    return found !== null && isValid(found.credential) ? found : null;
  }

  return {
    /** @param browser a short description for the list @returns the secret for the browser's cookie, which is stored nowhere */
    async start(accountId: string, browser: string): Promise<string> {
      return retryOnCollision(async () => {
        const secret = newSessionSecret();
        const hash = hashSessionSecret(secret);
        if (hash === null) throw new Error('a new secret has the wrong form');
        const now = clock.now();
        const session = { id: sessionIdOf(hash), hash, accountId, browser, createdAt: now, lastUsedAt: now };
        return (await sessions.insert(session)) ? secret : null;
      });
    },

    /** One indexed read. null: malformed, unknown, revoked, or not used for 30 days. */
    async identify(secret: string): Promise<SignedIn | null> {
      const hash = hashSessionSecret(secret);
      const found = hash === null ? null : await find(hash);
      if (hash === null || found === null) return null;
      const { account } = found;
      const session = { ...found.credential, lastUsedAt: recordUse(found.credential) };
      const confirm = async () => {
        const now = await find(hash);
        if (now === null) throw invalidSession();
        if (now.account.isSuspended) throw suspended();
      };
      const { accountId } = session;
      const credential = { kind: 'session', session } as const;
      const caller = {
        accountId,
        ownerId: accountId,
        credential,
        isSuspended: account.isSuspended,
        confirm,
      };
      return { caller, session, accountName: account.name };
    },

    /** The account's sessions, newest first. The caller's own shows this use, which is stored a moment later. */
    async list({ accountId, credential }: Caller): Promise<Session[]> {
      const own = credential.kind === 'session' ? credential.session : null;
      const listed = (await sessions.list(accountId, listedSessions)).filter(isValid);
      return listed.map((session) => (session.id === own?.id ? own : session));
    },

    /** Revokes a session of the account. @returns false if there is none with that id, or it was revoked before */
    async revoke({ accountId }: Caller, sessionId: string): Promise<boolean> {
      return sessionIdPattern.test(sessionId) && (await sessions.revoke(accountId, sessionId));
    },

    /** Revokes every session of the account but the caller's own. @returns how many */
    revokeOthers({ accountId, credential }: Caller): Promise<number> {
      return sessions.revokeAll(accountId, credential.kind === 'session' ? credential.session.id : null);
    },
  };
}

export function invalidSession(): DropError {
  return new DropError('unauthorized', 'You are signed out: sign in, and try again.');
}
