/** Secrets that the service generates, the same for every process that works on the same data. */
export interface SecretStore {
  /**
   * The secret of that name; `fresh` becomes it if there is none. Earlier releases kept replaced signing secrets as
   * `signing-secret.<Unix ms>`: the newest of them is the one in force.
   * Atomic: parallel first calls, of other processes too, all get the same secret.
   */
  keep(name: 'sign-in-key' | 'signing-secret', fresh: string): Promise<string>;
}
