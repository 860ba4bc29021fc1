/** Seals texts that clients hold, with the signing secret; opens them with any accepted one. */
export interface Sealer {
  /** @param purpose without it the text cannot be opened @param expiresAt Unix ms; from then on it cannot be opened */
  seal(purpose: string, content: object, expiresAt: number): Promise<string>;

  /** null: changed, sealed for another purpose, expired, or sealed with a secret that is not accepted. */
  open(purpose: string, sealed: string): Promise<unknown>;

  /** HMAC-SHA-256 of a short text, in hex, under each accepted secret. Store the first; look up all of them. */
  hashes(purpose: string, text: string): readonly [string, ...string[]];
}
