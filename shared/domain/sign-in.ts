import { randomInt } from 'node:crypto';

/** Spec section 3. `not_found` is what a poll says of a record that is gone, so no record has it. */
export type SignInStatus = 'pending' | 'verified' | 'claimed' | 'expired';

/** One device-code sign-in, from start to claim. Neither the code nor the poll token is kept in the clear. */
export interface SignIn {
  readonly id: string;
  /** Keyed hash of the code that the human types. */
  readonly codeHash: string;
  /** SHA-256 of the poll token. */
  readonly pollHash: string;
  /** The name that the token will have. */
  readonly label: string | null;
  /** Who asked, as the approve page shows it. */
  readonly requester: { readonly address: string; readonly userAgent: string };
  readonly status: SignInStatus;
  /** Whose account it became; null until approved. */
  readonly accountId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Consonants without look-alikes: no words, nothing to misread (RFC 8628, section 6.1). */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;

/** A code as the human sees it: `BCDF-GHJK`. 20^8 is 34 bits, with few tries allowed. */
export function newCode(): string {
  let letters = '';
  for (let i = 0; i < codeLength; i++) letters += codeLetters.charAt(randomInt(codeLetters.length));
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** The code in its one form, whatever case, spaces or dashes it was typed with; null when it can be no code. */
export function readCode(typed: string): string | null {
  const letters = typed.replace(/[\s-]/g, '').toUpperCase();
  if (letters.length !== codeLength) return null;
  for (const letter of letters) if (!codeLetters.includes(letter)) return null;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
