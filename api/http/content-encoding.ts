import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { ContentEncoding } from '../../shared/ports/render-store.ts';

/** Browsers send few different headers, so the answers are remembered. */
const knownHeaders = 200;
const longestHeader = 200;

/**
 * Chooses the smallest encoding of a page that a client takes.
 * @returns a function of the request's `Accept-Encoding`; without one, `identity`
 */
export function createEncodingNegotiator(): (acceptEncoding: string | undefined) => ContentEncoding {
  const known = new LRUCache<string, ContentEncoding>({ max: knownHeaders });
  return (acceptEncoding) => {
    // A longer one is no browser's, and takes long to read.
    if (acceptEncoding === undefined || acceptEncoding.length > longestHeader) return 'identity';
    const remembered = known.get(acceptEncoding);
    if (remembered !== undefined) return remembered;
    const [best] = acceptedEncodings(acceptEncoding);
    const encoding = best ?? 'identity';
    known.set(acceptEncoding, encoding);
    return encoding;
  };
}

/**
 * By the client's q-values; where they are equal, by size. `*` takes brotli too, by the book; but programs send it that
 * cannot read what is younger than gzip, and those that can name it.
 */
function acceptedEncodings(acceptEncoding: string): ContentEncoding[] {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  // Proof: negotiator takes `preferred` since 1.0, tested with 1.1.0; its published types are those of 0.6.
  const { encodings } = negotiator as unknown as {
    encodings(available: ContentEncoding[], options: { preferred: ContentEncoding[] }): ContentEncoding[];
  };
  const available: ContentEncoding[] = /\bbr\b/i.test(acceptEncoding)
    ? ['br', 'gzip', 'identity']
    : ['gzip', 'identity'];
  return encodings.call(negotiator, available, { preferred: ['br', 'gzip'] });
}
