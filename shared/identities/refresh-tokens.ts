import type { Sealer } from '../secrets/sealer.ts';

const purpose = 'refresh token';
/** Sealed again at each check; after this time without one the person signs in again. */
const sealedMs = 400 * 24 * 60 * 60_000;

/** What is stored of a refresh token. */
export interface KeptRefreshToken {
  readonly refreshToken: string;
  /**
   * `in use`: a check has begun and did not end, so the provider may have given out the next token, which is lost: if it refuses this
   * one, it says nothing about the person. `ended`: the person may not use the service any more, and their access is being ended.
   */
  readonly state: 'unused' | 'in use' | 'ended';
}

export function sealRefreshToken(
  sealer: Pick<Sealer, 'seal'>,
  kept: KeptRefreshToken,
  now: number,
): Promise<string> {
  return sealer.seal(purpose, kept, now + sealedMs);
}

/** null: it was sealed too long ago, or with a secret that is not accepted any more. */
export async function openRefreshToken(
  sealer: Pick<Sealer, 'open'>,
  sealed: string,
): Promise<KeptRefreshToken | null> {
  return (await sealer.open(purpose, sealed)) as KeptRefreshToken | null; // proof: sealed above
}
