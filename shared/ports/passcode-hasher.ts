/**
 * Slow hashes for passcodes (argon2id), off the event loop, few at a time. Both methods queue fairly by account, drop
 * and network, so an attack on one drop delays the viewers of no other. When too many passcodes wait, a call for the
 * account, drop or network with the most waiting passcodes throws DropError `unavailable`.
 */
export interface PasscodeHasher {
  /**
   * Salted, in the encoded form that `verify` reads.
   * @param account that sets the passcode
   */
  hash(passcode: string, account: string): Promise<string>;

  /**
   * @param source the drop whose passcode it is, and the network from which it was entered
   * @throws Error if `hash` is not a result of `hash()`
   */
  verify(hash: string, passcode: string, source: { drop: string; network: string }): Promise<boolean>;
}
