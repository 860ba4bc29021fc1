import type { StoredIdentity } from './identity-store.ts';

/** What a provider has said of a person counts for so long where it cannot be asked again. */
export const saidMs = 12 * 60 * 60_000;

/** Whether what the OpenID provider of an identity has said still counts. */
export function isStillSaid(
  { refreshToken, checkedAt }: Pick<StoredIdentity, 'refreshToken' | 'checkedAt'>,
  now: number,
): boolean {
  return refreshToken !== null || checkedAt > now - saidMs;
}
