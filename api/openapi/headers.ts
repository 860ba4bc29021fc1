import type { JsonSchema } from '../presenters/shape.ts';

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** Every header that an answer is described with. */
export const headers = {
  'X-Request-Id': header('Names the request: quote it when you report a fault.', { format: 'uuid' }),
  'Content-Security-Policy': header('What the answer may do in a browser.'),
  'X-Content-Type-Options': header('The type is what it says.', { const: 'nosniff' }),
  'Referrer-Policy': header('What a browser tells other sites of this address.'),
  'Strict-Transport-Security': header('This host speaks https only.'),
  'Cross-Origin-Resource-Policy': header('Who may load it.', { enum: ['same-origin', 'cross-origin'] }),
  'Cache-Control': header('How long who may keep it.'),
  'Cache-Tag': header('The tag by which an edge forgets the drop.', { pattern: '^drop-[0-9a-f]{32}$' }),
  'Surrogate-Key': header('The same for other edges.', { pattern: '^drop-[0-9a-f]{32}$' }),
  ETag: header('Names these bytes, for `If-None-Match`.', { pattern: '^"[^"]+"$' }),
  Vary: header('The request headers by which answers differ.'),
  'X-Robots-Tag': header('What search engines may do.'),
  Location: header('Where it is, or where to go on.', { format: 'uri-reference' }),
  'Set-Cookie': header('What a browser keeps of this. Out of the reach of scripts.'),
  'Content-Encoding': header('The form in which the body is sent, where it is compressed.', {
    enum: ['br', 'gzip'],
  }),
  'Retry-After': {
    description: 'Seconds to wait; the same as `error.details.retry_after_seconds`.',
    schema: { type: 'integer', minimum: 1, examples: [20] },
  },
  'WWW-Authenticate': header('How to authenticate (RFC 6750).', { pattern: '^Bearer realm="dropleaf"' }),
  Allow: header('The methods of this path.', { examples: ['GET, HEAD'] }),
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

function header(description: string, more: JsonSchema = {}): Header {
  return { description, schema: { type: 'string', ...more } };
}
