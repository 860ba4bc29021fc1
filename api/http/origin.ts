import type { IncomingMessage } from 'node:http';

/**
 * Whether a form was posted from a page of ours. Browsers say so on every POST: by Origin, or where that is
 * missing by Sec-Fetch-Site. What says neither is no browser with a form of ours.
 * @param origin of the service's public address
 */
export function isFromOwnPage(req: IncomingMessage, origin: string): boolean {
  const { origin: sent, 'sec-fetch-site': site } = req.headers;
  return sent === undefined ? site === 'same-origin' : sent === origin;
}

/**
 * Whether a page of another origin sent the request: browsers add Origin to every POST. Programs, which send none, are
 * not meant.
 * @param origin of the service's public address
 */
export function isFromForeignPage({ headers }: IncomingMessage, origin: string): boolean {
  return headers.origin !== undefined && headers.origin !== origin;
}
