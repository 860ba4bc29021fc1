import type { ServerResponse } from 'node:http';
import type { Config } from '../../shared/config/config.ts';
import { noindex, noindexAlone, robotsHeader } from '../http/send.ts';
import type { ContentHost } from '../server/content-hosts.ts';
import { sandbox, sandboxOnOwnHost } from './sandbox.ts';

/**
 * How long a shared cache may keep a page that memory vouches for: what locks or deletes it may have been purged
 * already. Not 0: while the store is away, one request in that time for each page reaches us.
 */
const unconfirmedSeconds = 5;

/** Of the time that a page may be kept without a purger: in this part it may be shown while the cache asks anew. */
const staleShare = 0.4;

const yearSeconds = 31_536_000;

/** What decides how long an answer may be kept. */
export interface Caching {
  /** Whether the store has just said that the page is public. */
  readonly isConfirmed: boolean;
  /** false: a better body is about to be made. */
  readonly isFinal: boolean;
  /** Whether the address names the version by its inner id, so that it can never mean another document. */
  readonly isPinned: boolean;
}

export interface RawHeaders {
  /** What a page is sent under, 304 and HEAD alike, as name, value, name, value, …: the fastest that Node takes. */
  ofPage(host: ContentHost | null, tag: string | null, caching: Caching): string[];
  /** What a refusal is sent under: always the sandbox without an origin. */
  setForRefusal(res: ServerResponse, host: ContentHost | null): void;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** @param edgeSeconds how long a shared cache may keep a page in all */
export function createRawHeaders(config: Config, edgeSeconds: number): RawHeaders {
  const { BASE_URL, CONTENT_ORIGIN, EDGE_PURGER, INDEXABLE } = config;
  const onOurHost = safety(BASE_URL);
  // Drops stand below one domain, and none may make itself the same origin as another by `document.domain`.
  const onOwnHost: Pairs = [...safety(CONTENT_ORIGIN), ['Origin-Agent-Cluster', '?1']];
  const ofPageOnOurHost = pageStart(onOurHost, sandbox);
  const ofPageOnOwnHost = pageStart(onOwnHost, sandboxOnOwnHost);

  const kept = keptFor(edgeSeconds, 0);
  const unconfirmed = keptFor(Math.min(edgeSeconds, unconfirmedSeconds), 0);
  // With a purger it is the edge's own business (deploy/varnish.vcl): a browser that obeys it too can't be purged.
  const stale = EDGE_PURGER === 'none' ? Math.floor(edgeSeconds * staleShare) : 0;
  const pinned = keptFor(edgeSeconds - stale, stale);

  function cachingOf({ isConfirmed, isFinal, isPinned }: Caching): string {
    if (!isFinal) return 'no-store';
    if (!isConfirmed) return unconfirmed;
    // Firefox takes `stale-while-revalidate` for itself: where no version is named it would show the one before.
    return isPinned ? pinned : kept;
  }

  return {
    ofPage(host, tag, caching) {
      // A 304 replaces what the browser has of these: it must say the same as the 200.
      const headers = [...(host === null ? ofPageOnOurHost : ofPageOnOwnHost), 'Cache-Control'];
      if (tag === null) headers.push('private, no-store', robotsHeader, noindex);
      else {
        headers.push(cachingOf(caching), 'Cache-Tag', tag, 'Surrogate-Key', tag);
        // People are to find the page by its viewer.
        headers.push(robotsHeader, INDEXABLE ? noindexAlone : noindex);
      }
      return headers;
    },

    setForRefusal(res, host) {
      res.setHeader('Content-Security-Policy', `sandbox ${sandbox}`);
      for (const [name, value] of host === null ? onOurHost : onOwnHost) res.setHeader(name, value);
    },
  };
}

function keptFor(seconds: number, stale: number): string {
  const text = `public, max-age=0, s-maxage=${seconds}`;
  return seconds === 0 || stale === 0 ? text : `${text}, stale-while-revalidate=${stale}`;
}

/** What every answer carries beside the sandbox. @param origin where it is served */
function safety(origin: string): Pairs {
  const headers: [name: string, value: string][] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ];
  // Whoever runs other services below this name decides for those.
  if (origin.startsWith('https:')) headers.push(['Strict-Transport-Security', `max-age=${yearSeconds}`]);
  return headers;
}

function pageStart(safetyHeaders: Pairs, tokens: string): readonly string[] {
  return ['Content-Security-Policy', `sandbox ${tokens}`, ...safetyHeaders.flat(), 'Vary', 'Accept-Encoding'];
}
