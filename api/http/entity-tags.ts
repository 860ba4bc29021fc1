/** A list of entity tags (RFC 9110, sections 5.6.1 and 8.8.3); its elements may be empty, but not all of them. */
const tagList = /^[ \t,]*(?:W\/)?"[!#-~\x80-\xff]*"(?:[ \t]*,[ \t,]*(?:W\/)?"[!#-~\x80-\xff]*")*[ \t,]*$/;

/** What a proxy that compresses appends: `3-gzip` (Apache, Caddy), `3--gzip` (Jetty), `3;gzip`. Ours are before it. */
const proxySuffix = /(?:--?|[;:+])(?:x-)?(?:gzip|deflate|br|zstd|compress)$/i;

/**
 * The tags of If-Match, or of a field like it, without quotes. `W/` is left out, because proxies that compress weaken tags.
 * @returns null if the text is no list of tags
 */
export function readTags(list: string): readonly string[] | null {
  return tagList.test(list) ? [...list.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag) : null;
}

/** The tag as it was before a proxy compressed the answer; null: it has no such suffix. */
export function withoutProxySuffix(tag: string): string | null {
  const before = tag.replace(proxySuffix, '');
  return before === tag ? null : before;
}

/**
 * Whether the client has it. Compared weakly (RFC 9110, 13.1.2): exactly, then without what a proxy has appended.
 * @param etag with its quotes; null: no cache keeps it
 */
export function isFresh(ifNoneMatch: string | undefined, etag: string | null): boolean {
  if (ifNoneMatch === undefined || etag === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((one) => {
    const given = one.trim().replace(/^W\//, '');
    if (given === etag) return true;
    return given.endsWith('"') && withoutProxySuffix(given.slice(0, -1)) === etag.slice(0, -1);
  });
}
