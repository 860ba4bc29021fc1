import type { SigningSecret } from '../domain/signing-secret.ts';

/** Secrets of the service's own making, the same for every process that works on the same data. */
export interface SecretStore {
  /**
   * The secret of that name; where there is none yet, `fresh` becomes it.
   * Atomic: parallel first calls, of other processes too, all get the same one.
   */
  keep(name: 'sign-in-key', fresh: string): Promise<string>;

  /**
   * All signing secrets, in no order. Where there is none yet, `fresh` becomes the first, which signs from 0.
   * Atomic: parallel first calls, of other processes too, all get the same one.
   */
  listSigning(fresh: string): Promise<SigningSecret[]>;

  /** Adds one to the others. `time_taken`: another signs from that very moment; the caller takes a later one. */
  addSigning(secret: SigningSecret): Promise<'added' | 'time_taken'>;

  /** Removes those that sign from these moments, where they are there. */
  removeSigning(signsFrom: readonly number[]): Promise<void>;
}
