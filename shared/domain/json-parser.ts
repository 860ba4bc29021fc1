/** Parses large request bodies outside the event loop: 12 MB take 100 ms. */
export interface JsonParser {
  /**
   * @param bytes UTF-8; the caller must not use them afterwards
   * @throws SyntaxError (parseJson in domain/json.ts)
   */
  parse(bytes: Uint8Array): Promise<unknown>;

  close(): Promise<void>;
}
