/** The headers that a client may act on, each described once. */
export const headers = {
  ETag: { description: 'For `If-None-Match`.', schema: { type: 'string' } },
  Location: {
    description: 'The path of the new drop.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Retry-After': {
    description: 'Seconds to wait, as in `error.details.retry_after_seconds`.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'RFC 6750: `error="invalid_token"` where a token was sent.',
    required: true,
    schema: { type: 'string', pattern: '^Bearer realm="dropleaf"' },
  },
  'Access-Control-Allow-Origin': {
    description: 'Scripts of any origin may read this.',
    required: true,
    schema: { type: 'string', const: '*' },
  },
} as const;

export type HeaderName = keyof typeof headers;
