import { type BrotliOptions, constants } from 'node:zlib';

/** A larger window needs memory that the kernel clears for each text (docs/performance.md). */
const minWindow = 16;
/** The default. */
const maxWindow = 22;

/** With the smallest window that holds the whole text: a larger one saves no bytes. @param length of the text in bytes */
export function brotliOptions(quality: number, length: number): BrotliOptions {
  const needed = Math.ceil(Math.log2(length + 16)); // a window has 16 bytes less than its power of two (RFC 7932, section 9.1)
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: length,
      [constants.BROTLI_PARAM_LGWIN]: Math.min(Math.max(needed, minWindow), maxWindow),
    },
  };
}
