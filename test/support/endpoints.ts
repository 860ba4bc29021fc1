/** Every endpoint that needs a bearer token (spec section 5.7), on a drop and a token id of one's choice. */
export function bearerEndpoints(slug: string, tokenId: string): readonly (readonly [string, string])[] {
  return [
    ['GET', '/api/me'],
    ['GET', '/api/tokens'],
    ['DELETE', `/api/tokens/${tokenId}`],
    ['GET', '/api/drops'],
    ['POST', '/api/drops'],
    ['GET', `/api/drops/${slug}`],
    ['PUT', `/api/drops/${slug}`],
    ['PATCH', `/api/drops/${slug}`],
    ['DELETE', `/api/drops/${slug}`],
    ['GET', `/api/drops/${slug}/versions`],
    ['GET', `/api/drops/${slug}/v/1`],
    ['DELETE', `/api/drops/${slug}/v/1`],
    ['POST', `/api/drops/${slug}/passcode`],
  ];
}
