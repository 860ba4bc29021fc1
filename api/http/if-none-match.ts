/**
 * Whether the client has what we would send. Compared weakly (RFC 9110, section 13.1.2): an edge may have made our
 * ETag weak.
 * @param ifNoneMatch the request's header; undefined for none
 * @param etag null: of an answer that nobody is to have
 */
export function isFresh(ifNoneMatch: string | undefined, etag: string | null): boolean {
  if (ifNoneMatch === undefined || etag === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
