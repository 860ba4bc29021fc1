import { matching, oneOf, record } from '../domain/record.ts';

/** The secrets that a service generates. One that is set in the environment is not among them. */
export const secretNames = ['sign-in-key', 'signing-secret'] as const;

export type SecretName = (typeof secretNames)[number];

export const secretRecord = record(
  'secrets',
  { name: oneOf(secretNames), value: matching(/^[\x21-\x7e]+$/, 'visible ASCII') },
  ['name'],
);

/** Secrets that the service generates, the same for every process that works on the same data. */
export interface SecretStore {
  /**
   * Returns the secret of that name. If there is none, stores and returns `fresh`. Earlier releases kept replaced signing
   * secrets as `signing-secret.<Unix ms>`: the newest of them is the one in force.
   * Atomic: parallel first calls, of other processes too, all get the same secret.
   */
  findOrCreate(name: SecretName, fresh: string): Promise<string>;

  /** The secret in force; null: none yet. For archives, as `replace`: MongoDB waits up to a minute for a server. */
  find(name: SecretName): Promise<string | null>;

  /** Stores the secret in place of the one in force, if any. Processes that have read that one keep using it. */
  replace(name: SecretName, secret: string): Promise<void>;
}
