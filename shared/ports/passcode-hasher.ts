/**
 * Slow hashes for passcodes (argon2id), off the event loop, few at a time. Both methods take turns fairly among those
 * whom they are done for: one drop under attack holds up the visitors of no other. Both throw DropError `unavailable`
 * when too many passcodes wait, to those for whom most are asked for.
 */
export interface PasscodeHasher {
  /**
   * Salted: another one each time, in the encoded form that `verify` reads.
   * @param account who sets it
   */
  hash(passcode: string, account: string): Promise<string>;

  /**
   * @param asked the drop whose passcode it is, and the network it was entered from
   * @throws Error when `hash` is none of `hash`'s
   */
  verify(hash: string, passcode: string, asked: { drop: string; network: string }): Promise<boolean>;
}
