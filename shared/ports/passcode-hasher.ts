/**
 * Slow hashes for passcodes (argon2id), off the event loop, few at a time. Both methods queue fairly by account, drop
 * and network, so an attack on one drop delays the viewers of no other. Both throw DropError `unavailable` when too many
 * passcodes wait, to the accounts, drops or networks with most of them.
 */
export interface PasscodeHasher {
  /**
   * Salted, in the encoded form that `verify` reads.
   * @param account that sets the passcode
   */
  hash(passcode: string, account: string): Promise<string>;

  /**
   * @param asked the drop whose passcode it is, and the network it was entered from
   * @throws Error if `hash` is not a result of `hash()`
   */
  verify(hash: string, passcode: string, asked: { drop: string; network: string }): Promise<boolean>;
}
