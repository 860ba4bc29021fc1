/** Slow hashes for passcodes (argon2id), off the event loop. */
export interface PasscodeHasher {
  /**
   * Salted. Accounts take fair turns, few at a time. @param account that sets the passcode
   * @throws DropError `unavailable` for the account with the most waiting passcodes, if too many wait
   */
  hash(passcode: string, account: string): Promise<string>;

  /** Begins at once: the caller runs few at a time (limits/attempts.ts). @throws Error if `hash` is none */
  verify(hash: string, passcode: string): Promise<boolean>;
}
