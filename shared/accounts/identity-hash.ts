import type { Sealer } from '../secrets/sealer.ts';
import type { Identity } from './account.ts';

/**
 * Keyed hashes of an identity, under each accepted signing secret: what a deleted account keeps of it until the UTC day ends
 * (`Inheritance`). Store the first; look for all of them.
 */
export function identityHashes(
  sealer: Pick<Sealer, 'hashes'>,
  { provider, subject }: Pick<Identity, 'provider' | 'subject'>,
): readonly [string, ...string[]] {
  return sealer.hashes('account identity', `${provider}\0${subject}`);
}
