import { readAddress } from '../domain/email.ts';
import { DropError } from '../domain/errors.ts';

/** What an ID token and the UserInfo endpoint say. Nothing of it is checked but the subject. */
export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimRules {
  /** The name of the claim with the groups. */
  readonly groupsClaim: string;
  /** Whether addresses count that the provider does not call verified. */
  readonly trustsEmail: boolean;
}

const nameLength = 100;
const mostGroups = 1_000;
const groupLength = 256;

/** The person's name for pages. */
export function nameIn(claims: Claims, subject: string): string {
  const named = [claims.preferred_username, claims.name, claims.email, subject];
  const shown = named.map((each) => (typeof each === 'string' ? visible(each) : ''));
  return [...(shown.find((each) => each !== '') ?? '')].slice(0, nameLength).join('');
}

/** Without characters that cannot be seen, or that change the direction of others. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim();
}

/** The address in lower case; null: there is none, or nobody has verified it. */
export function emailIn(claims: Claims, issuer: string, { trustsEmail }: ClaimRules): string | null {
  return trustsEmail || isVerified(claims, issuer) ? readAddress(claims.email) : null;
}

/** Entra sends no `email_verified`: `xms_edov` says it, and can be relied on where the issuer is one tenant. */
function isVerified({ email_verified: verified, xms_edov: ownsDomain }: Claims, issuer: string): boolean {
  if (verified === true || verified === 'true') return true;
  const isOneTenant = /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/.test(issuer);
  return (
    isOneTenant && (ownsDomain === true || ownsDomain === 1 || ownsDomain === '1' || ownsDomain === 'true')
  );
}

/** The exact names. @throws DropError `forbidden` if the provider names them elsewhere, because they are too many */
export function groupsIn(claims: Claims, { groupsClaim }: ClaimRules): readonly string[] {
  const { _claim_names: elsewhere } = claims;
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim))
    throw tooManyGroups();
  const found = claims[groupsClaim];
  const listed: readonly unknown[] = Array.isArray(found) ? found : [found];
  const groups = listed.filter(
    (each): each is string => typeof each === 'string' && each.length <= groupLength,
  );
  if (groups.length > mostGroups) throw tooManyGroups();
  return [...new Set(groups)];
}

function tooManyGroups(): DropError {
  const message =
    'You are in more groups than the identity provider can name. Its administrator must send only the groups of this application.';
  return new DropError('forbidden', message);
}
