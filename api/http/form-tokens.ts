import { DropError } from '../../shared/domain/errors.ts';
import type { Sealer } from '../../shared/secrets/sealer.ts';
import { constantTimeEqual } from '../../shared/util/constant-time-equal.ts';
import { tokenField } from './kept-forms.ts';
import { maskToken, unmaskToken } from './masked-token.ts';

/** The token in the forms of a session, and those of older signing secrets. Before the dot: whose form it is. */
export function formTokensOf(
  sealer: Pick<Sealer, 'hashes'>,
  sessionId: string,
  accountId: string,
): readonly [string, ...string[]] {
  const [token, ...others] = sealer.hashes('session form', sessionId);
  const ofAccount = (hash: string) => `${accountId}.${hash}`;
  return [ofAccount(token), ...others.map(ofAccount)];
}

/** Whether a form has one of the tokens, masked or not. */
export function isFormToken(given: string, tokens: readonly string[]): boolean {
  const unmasked = unmaskFormToken(given);
  return tokens.some((token) => constantTimeEqual(token, unmasked));
}

/** Masks what follows the dot: whose form it is stays legible for a form that is kept (kept-forms.ts). */
export function maskFormToken(token: string): string {
  const at = token.indexOf('.') + 1;
  return token.slice(0, at) + maskToken(token.slice(at));
}

/** Also of a page of an earlier release, whose token has no mask. */
function unmaskFormToken(token: string): string {
  const at = token.indexOf('.') + 1;
  return token.slice(0, at) + unmaskToken(token.slice(at));
}

/** @param isShownAgain with what was typed */
export function outdatedForm(isShownAgain: boolean): DropError {
  const message = isShownAgain
    ? 'Nothing was saved yet, because you signed in after this page was opened. Check it, and send it again.'
    : 'This page is out of date. Open it again, and repeat what you did.';
  return new DropError('forbidden', message, { field: tokenField });
}

/** Whether the form was refused only because a page of another session had it. */
export function isOutdated({ details }: DropError): boolean {
  return details?.field === tokenField;
}
