import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../shared/domain/clock.ts';
import type { Sealer } from '../../shared/secrets/sealer.ts';
import type { ProviderVisit } from '../../shared/sign-ins/identity-provider.ts';
import { cookieName, readCookies, setCookie } from '../http/cookies.ts';
import { signInPaths } from '../http/paths.ts';
import type { Outcome } from './views.ts';

const name = 'dropleaf_sign_in';

/** The sign-in of a device that a browser is working on. */
export interface Progress {
  readonly signInId: string;
  readonly code: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** The account that approves or denies. */
export interface Approver {
  readonly accountId: string;
  readonly name: string;
  /** The session that stands for the person, who must still have it. Absent: they have signed in for this device. */
  readonly sessionId?: string;
}

/** The cookie's content by the step that reads it. No other step accepts it, so a device and a session cannot be mixed up. */
export interface Steps {
  /** Return from the identity provider, to approve a device. */
  visit: Progress & { readonly visit: ProviderVisit };
  /** Return from the identity provider, to start a session. `next`: a page of the dashboard. */
  browser: { readonly visit: ProviderVisit; readonly next: string; readonly expiresAt: number };
  local: Progress;
  /** Approve or deny. The page's form contains `formToken` too. */
  decide: Progress & Approver & { readonly formToken: string };
  done: { readonly outcome: Outcome; readonly expiresAt: number };
}

/** The cookie that connects the pages of one sign-in: sealed, replaced at each step, and expired with the sign-in. */
export function createSignInCookie(deps: { sealer: Sealer; clock: Clock; isSecure: boolean }) {
  const { sealer, clock, isSecure } = deps;
  // `__Host-` keeps sibling domains from setting the cookie, and requires the path `/`.
  const rules = { path: isSecure ? '/' : signInPaths.code, isSecure };

  function set(res: ServerResponse, value: string, seconds: number): void {
    setCookie(res, name, value, { ...rules, seconds });
  }

  return {
    /** @returns null if the cookie is missing, expired, or of another step */
    async read<S extends keyof Steps>(req: IncomingMessage, step: S): Promise<Steps[S] | null> {
      for (const value of readCookies(req.headers.cookie, cookieName(name, rules))) {
        const content = await sealer.open(purposeOf(step), value);
        if (content !== null) return content as Steps[S]; // proof: `write` sealed it for this step
      }
      return null;
    },

    async write<S extends keyof Steps>(res: ServerResponse, step: S, content: Steps[S]): Promise<void> {
      const seconds = Math.max(0, Math.floor((content.expiresAt - clock.now()) / 1000));
      set(res, await sealer.seal(purposeOf(step), content, content.expiresAt), seconds);
    },

    clear(res: ServerResponse): void {
      set(res, '', 0);
    },
  };
}

function purposeOf(step: keyof Steps): string {
  return `sign-in ${step}`;
}
