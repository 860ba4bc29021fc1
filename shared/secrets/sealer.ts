/**
 * Encrypts and authenticates texts that clients hold: cookies and grants. The signing secret seals; it and the other
 * accepted secrets open.
 */
export interface Sealer {
  /**
   * @param purpose binds the text to its use: it cannot be opened for another purpose
   * @param expiresAt Unix ms; from then on it cannot be opened
   */
  seal(purpose: string, content: object, expiresAt: number): Promise<string>;

  /** null: changed, sealed for another purpose, expired, or sealed with a secret that is not accepted. */
  open(purpose: string, sealed: string): Promise<unknown>;

  /**
   * HMAC-SHA-256 of a sign-in code or another short text, in hex, under each accepted signing secret. Store the first
   * hash; look up all of them, because a stored hash may be from an older secret.
   */
  hashes(purpose: string, text: string): readonly [string, ...string[]];
}
