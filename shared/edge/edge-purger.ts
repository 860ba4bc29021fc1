/** Purges changed pages from the shared cache in front of the service. May be called in parallel. */
export interface EdgePurger {
  /**
   * Removes every response that carries the tag from the cache. May be repeated.
   * @returns when the edge has confirmed a request that was sent after this call. A response that was on its way to the
   *   cache at that time is not removed. The purger sends no request twice, and settles within the adapter's timeout
   * @throws DropError `unavailable` with `retry_after_seconds` (1 to 3,600) if the edge limits purges. During that time
   *   the purger sends nothing. Any other error if the edge did not confirm. No error contains a credential
   */
  purge(tag: string): Promise<void>;
}
