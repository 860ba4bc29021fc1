/** Secrets of the service's own making, the same for every process that works on the same data. */
export interface SecretStore {
  /**
   * The secret of that name; where there is none yet, `fresh` becomes it.
   * Atomic: parallel first calls, of other processes too, all get the same one.
   */
  keep(name: 'signing-secret' | 'sign-in-key', fresh: string): Promise<string>;
}
