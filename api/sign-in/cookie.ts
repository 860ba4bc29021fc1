import type { IdentityKey } from '../../shared/identities/identity-store.ts';
import type { ProviderWay } from '../../shared/sign-ins/callbacks.ts';
import type { ProviderVisit } from '../../shared/sign-ins/identity-provider.ts';
import { signInPaths } from '../http/paths.ts';
import { createSealedCookie } from '../http/sealed-cookie.ts';
import type { Outcome } from './views.ts';

/** The sign-in of a device that a browser is working on. */
export interface SignInProgress {
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
  /** With what they have signed in for this device. Absent with a session, and in cookies of an earlier release. */
  readonly identity?: IdentityKey;
}

/** The account that gets another way to sign in, and the session that asked for it. */
export interface Link {
  readonly accountId: string;
  readonly sessionId: string;
}

/** The cookie's content by the step that reads it. No other step accepts it. */
export interface Steps {
  /** Return from the identity provider: to approve a device, to add a way to sign in or, if there is neither, to start a session. */
  visit: {
    /** The provider: another one's return is refused. */
    readonly way: ProviderWay;
    readonly visit: ProviderVisit;
    readonly device: SignInProgress | null;
    readonly link?: Link;
    /** Where the person goes then. */
    readonly next: string;
    readonly expiresAt: number;
  };
  local: SignInProgress;
  /** Approve or deny. The page's form contains `formToken` too. */
  decide: SignInProgress & Approver & { readonly formToken: string };
  done: { readonly outcome: Outcome; readonly expiresAt: number };
}

/** The cookie that connects the pages of one sign-in: replaced at each step, and expired with the sign-in. */
export function createSignInCookie(services: Parameters<typeof createSealedCookie>[0]) {
  const rules = { name: 'dropleaf_sign_in', path: signInPaths.code, purpose: 'sign-in' };
  return createSealedCookie<Steps>(services, rules);
}
