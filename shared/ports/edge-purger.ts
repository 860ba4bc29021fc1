/** Tells the cache in front of the service that pages have changed. */
export interface EdgePurger {
  /**
   * Makes the edge forget every answer that carries the tag. Repeating it is harmless.
   * @throws when the edge did not confirm
   */
  purge(tag: string): Promise<void>;
}
