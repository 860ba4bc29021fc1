/** Slow hashes for passcodes (argon2id), off the event loop. */
export interface PasscodeHasher {
  /** Salted; accounts take fair turns. @throws DropError `unavailable` for the account with the most waiting passcodes */
  hash(passcode: string, account: string): Promise<string>;

  /** Begins at once: the caller runs few at a time (limits/attempts.ts). @throws Error if `hash` is none */
  verify(hash: string, passcode: string): Promise<boolean>;
}
