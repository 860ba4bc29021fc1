import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ProviderVisit } from '../../shared/ports/identity-provider.ts';
import type { Sealer } from '../../shared/ports/sealer.ts';
import { cookieName, readCookies, setCookie } from '../http/cookies.ts';
import { signInPaths } from '../http/paths.ts';
import type { Outcome } from './end-pages.ts';

const name = 'dropleaf_sign_in';

/** Which sign-in a browser is at work on, and until when it lives. */
interface Work {
  readonly signInId: string;
  readonly code: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

/** What the cookie holds after each step; the next step takes nothing else. */
interface Steps {
  /** The code was right, and the person is away at the identity provider. */
  visit: Work & { readonly visit: ProviderVisit };
  /** The code was right, and the sign-in key is asked for. */
  local: Work;
  /** Somebody has signed in and is to decide. `formToken` stands in their form too. */
  decide: Work & { readonly accountId: string; readonly name: string; readonly formToken: string };
  done: { readonly outcome: Outcome; readonly expiresAt: number };
}

export type SignInCookie = ReturnType<typeof createSignInCookie>;

/**
 * The one thing that the server remembers of a browser between the pages of a sign-in: sealed, read by these pages
 * only, replaced at each step, and never good for longer than the sign-in.
 */
export function createSignInCookie(deps: { sealer: Sealer; clock: Clock; isSecure: boolean }) {
  const { sealer, clock, isSecure } = deps;
  // Only a cookie for all paths can be one that nobody on a sibling domain can set.
  const rules = { path: isSecure ? '/' : signInPaths.code, isSecure };

  function set(res: ServerResponse, value: string, seconds: number): void {
    setCookie(res, name, value, { ...rules, seconds });
  }

  return {
    /** What the browser brings for that step; null for nothing, for another step, or when its time is over. */
    async read<S extends keyof Steps>(req: IncomingMessage, step: S): Promise<Steps[S] | null> {
      for (const value of readCookies(req.headers.cookie, cookieName(name, rules))) {
        const content = await sealer.open(purposeOf(step), value);
        if (content !== null) return content as Steps[S]; // proof: sealed by `write` for this step
      }
      return null;
    },

    /** Replaces whatever the browser holds. */
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
