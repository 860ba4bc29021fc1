import type { ServerResponse } from 'node:http';

/** What strangers publish is not for search engines to list, and lends no rank to what it links to. */
export const robotsHeader = 'X-Robots-Tag';
export const noindex = 'noindex, nofollow';

/** For a page whose whole content may be listed as part of the one that frames it, and never by itself. */
export const noindexAlone = 'noindex, nofollow, indexifembedded';

/** Every answer says so, unless its handler finds that it may be listed. */
export function forbidIndexing(res: ServerResponse): void {
  res.setHeader(robotsHeader, noindex);
}

export function allowIndexing(res: ServerResponse): void {
  res.removeHeader(robotsHeader);
}
