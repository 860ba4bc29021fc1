/**
 * Signed and encrypted texts that leave the house and come back: cookies and grants. Keyed by the signing secret.
 */
export interface Sealer {
  /**
   * Encrypts.
   * @param purpose binds the text to its use: opened for another, it is void
   * @param expiresAt Unix ms; from then on it is void
   */
  seal(purpose: string, content: object, expiresAt: number): Promise<string>;

  /** null: forged, cut, for another purpose, or past its time. */
  open(purpose: string, sealed: string): Promise<unknown>;

  /** Keyed hash in hex (HMAC-SHA-256), for short secrets that must be found again. */
  hash(purpose: string, text: string): string;
}
