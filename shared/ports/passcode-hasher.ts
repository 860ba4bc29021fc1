/**
 * Slow hashes for passcodes (argon2id), off the event loop, few at a time.
 * Both methods throw DropError `unavailable` when too many passcodes wait already.
 */
export interface PasscodeHasher {
  /** Salted: another one each time, in the encoded form that `verify` reads. */
  hash(passcode: string): Promise<string>;

  /** @throws Error when `hash` is none of `hash`'s */
  verify(hash: string, passcode: string): Promise<boolean>;
}
