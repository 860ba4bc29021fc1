/** Parses large bodies away from the event loop. */
export interface JsonParser {
  /**
   * @param bytes UTF-8; the memory may be moved away from the caller
   * @throws SyntaxError when it is no UTF-8 or no JSON
   */
  parse(bytes: Uint8Array): Promise<unknown>;

  close(): Promise<void>;
}
