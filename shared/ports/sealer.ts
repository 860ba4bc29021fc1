/**
 * Signed and encrypted texts that leave the house and come back: cookies and grants. Keyed by the signing secrets:
 * the one in force signs, and all that are accepted open.
 */
export interface Sealer {
  /**
   * Encrypts.
   * @param purpose binds the text to its use: opened for another, it is void
   * @param expiresAt Unix ms; from then on it is void
   */
  seal(purpose: string, content: object, expiresAt: number): Promise<string>;

  /** null: forged, cut, for another purpose, past its time, or under a secret that is accepted no more. */
  open(purpose: string, sealed: string): Promise<unknown>;

  /**
   * Keyed hashes in hex (HMAC-SHA-256), for short secrets that must be found again: the first is the one to keep; what
   * was kept before may be under any of them.
   */
  hashes(purpose: string, text: string): Promise<readonly [string, ...string[]]>;
}
