/** Slow hashes for passcodes (argon2id), off the event loop. */
export interface PasscodeHasher {
  hash(passcode: string): Promise<string>;

  verify(hash: string, passcode: string): Promise<boolean>;
}
