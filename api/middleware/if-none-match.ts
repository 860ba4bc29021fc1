/**
 * Whether the client has what we would send. Compared weakly (RFC 9110, section 13.1.2): an edge may have made our
 * ETag weak.
 * @param ifNoneMatch the request's header; undefined for none
 */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
