import { randomInt } from 'node:crypto';
import { scopeField } from '../credentials/token.ts';
import { id, oneOf, orNull, type RecordOf, record, sha256, text, time } from '../domain/record.ts';

const statuses = ['pending', 'verified', 'claimed', 'expired'] as const;

/** Spec section 3. A poll also answers `not_found`, for a missing record. */
export type SignInStatus = (typeof statuses)[number];

/** One device-code sign-in, from start to claim. The code and the poll token are stored as hashes only. */
export const signInRecord = record('sign_ins', {
  id: id(),
  /** Keyed hash of the code that the user types. */
  codeHash: text(),
  pollHash: sha256(),
  /** The label of the future token. */
  label: orNull(text()),
  /** Of the future token: the person may narrow it. */
  scope: scopeField,
  /** The client that started the sign-in, as the approval page shows it. */
  requesterAddress: text(),
  requesterAgent: text(),
  status: oneOf(statuses),
  /** The account that approved it; null until then. */
  accountId: orNull(id()),
  createdAt: time(),
  expiresAt: time(),
});

export type SignIn = RecordOf<typeof signInRecord>;

export type Requester = Pick<SignIn, 'requesterAddress' | 'requesterAgent'>;

/** Consonants that are not easily confused, so codes form no words (RFC 8628, section 6.1). */
const codeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;

/** A code such as `BCDF-GHJK`: 20^8 values (34 bits), enough because few guesses are allowed. */
export function newCode(): string {
  let letters = '';
  for (let i = 0; i < codeLength; i++) letters += codeLetters.charAt(randomInt(codeLetters.length));
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/**
 * Spaces, punctuation and symbols (some that look like dashes are no `Dash` in Unicode, as U+2043), the long vowel mark that Japanese
 * keyboards have in place of a dash, and what shows nothing.
 */
const betweenLetters = /[\s\p{P}\p{S}\p{Cf}\u30fc]/gu;
/** More is no code; NFKC makes up to 18 characters of one. */
const typedMaxLength = 100;

/**
 * Normalizes width, case, spaces and dashes: `ｂｃｄｆ－ghjk` becomes `BCDF-GHJK`. @returns null if it is not a code
 */
export function readCode(typed: string): string | null {
  if (typed.length > typedMaxLength) return null;
  const letters = typed.normalize('NFKC').replace(betweenLetters, '').toUpperCase();
  if (letters.length !== codeLength) return null;
  for (const letter of letters) if (!codeLetters.includes(letter)) return null;
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
