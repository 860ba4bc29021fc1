/** Tells the cache in front of the service that pages have changed. Many calls at once are as good as one by one. */
export interface EdgePurger {
  /**
   * Makes the edge forget every answer that carries the tag. Repeating it is harmless.
   * @returns when the edge has confirmed a request that was sent after this call: what it had by then is forgotten, and
   *   what was still on its way to it is not. Nothing is sent twice, and all is over within the time-out that the
   *   adapter was made with, give or take a moment
   * @throws DropError `unavailable` when the edge takes no purges for so many seconds (`retry_after_seconds`, a whole
   *   number of 1 to 3,600), during which it is left alone; any other error when it did not confirm: it refused, or was
   *   cut off, or silent. None of them tells a credential, even where the edge does
   */
  purge(tag: string): Promise<void>;
}
