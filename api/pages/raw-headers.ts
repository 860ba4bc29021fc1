import type { ServerResponse } from 'node:http';
import type { Config } from '../../shared/config/config.ts';
import { indexIfEmbedded, noindex, robotsHeader } from '../http/send.ts';
import type { ContentHost } from '../server/content-hosts.ts';

/**
 * What a page may do in its frame and at its own address: scripts and forms run, in an opaque origin. Never
 * `allow-same-origin` on the service's own host (docs/decisions.md, The raw page).
 */
export const sandbox = [
  'allow-scripts',
  'allow-forms',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-modals',
  'allow-downloads',
  'allow-pointer-lock',
  'allow-presentation',
  'allow-orientation-lock',
  'allow-top-navigation-by-user-activation',
].join(' ');

/** On a host of its own a drop has an origin, and so storage and cookies. */
export const sandboxOnOwnHost = `${sandbox} allow-same-origin`;

/**
 * How long a shared cache may keep a page that was served from memory while the database is down: a purge may have
 * been missed. Not 0, so that the edge forwards one request for each page in that time.
 */
const unconfirmedSeconds = 5;

/** Without a purger: the last part of a page's cache lifetime, in which the cache may serve it while it revalidates. */
const staleShare = 0.4;

const yearSeconds = 31_536_000;

export interface Caching {
  /** Whether the database has just confirmed that the page is public. */
  readonly isConfirmed: boolean;
  /** false: the page is still being rendered, and later requests get another body. */
  readonly isFinal: boolean;
  /** Whether the address contains the version's internal id, so that it can never mean another document. */
  readonly isPinned: boolean;
}

export interface RawHeaders {
  /** The headers of a page, for 304 and HEAD too, as name, value, name, value, …: the fastest form for Node. */
  ofPage(host: ContentHost | null, tag: string | null, caching: Caching): string[];
  /** Sets the headers of a refusal, always with the sandbox of an opaque origin. */
  setForRefusal(res: ServerResponse, host: ContentHost | null): void;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** @param edgeSeconds the cache lifetime of a page at the edge */
export function createRawHeaders(config: Config, edgeSeconds: number): RawHeaders {
  const { BASE_URL, CONTENT_ORIGIN, EDGE_PURGER, INDEXABLE } = config;
  const onOurHost = commonHeaders(BASE_URL);
  // The hosts of drops share a domain: no drop may join another one's origin by `document.domain`.
  const onOwnHost: Pairs = [...commonHeaders(CONTENT_ORIGIN), ['Origin-Agent-Cluster', '?1']];
  const ofPageOnOurHost = pageHeaders(onOurHost, sandbox);
  const ofPageOnOwnHost = pageHeaders(onOwnHost, sandboxOnOwnHost);

  const kept = cacheControl(edgeSeconds, 0);
  const unconfirmed = cacheControl(Math.min(edgeSeconds, unconfirmedSeconds), 0);
  // With a purger the edge's configuration sets this time (deploy/varnish.vcl). Browsers would obey the header, too, and
  // they cannot be purged.
  const stale = EDGE_PURGER === 'none' ? Math.floor(edgeSeconds * staleShare) : 0;
  const pinned = cacheControl(edgeSeconds - stale, stale);

  function cachingOf({ isConfirmed, isFinal, isPinned }: Caching): string {
    if (!isFinal) return 'no-store';
    if (!isConfirmed) return unconfirmed;
    // Firefox obeys `stale-while-revalidate`, too: at an address without a version it would show the previous version.
    return isPinned ? pinned : kept;
  }

  return {
    ofPage(host, tag, caching) {
      // The headers of a 304 replace those that the browser has stored, so they equal those of the 200.
      const headers = [...(host === null ? ofPageOnOurHost : ofPageOnOwnHost), 'Cache-Control'];
      if (tag === null) headers.push('private, no-store', robotsHeader, noindex);
      else {
        headers.push(cachingOf(caching), 'Cache-Tag', tag, 'Surrogate-Key', tag);
        // Search engines list the viewer page.
        headers.push(robotsHeader, INDEXABLE ? indexIfEmbedded : noindex);
      }
      return headers;
    },

    setForRefusal(res, host) {
      res.setHeader('Content-Security-Policy', `sandbox ${sandbox}`);
      for (const [name, value] of host === null ? onOurHost : onOwnHost) res.setHeader(name, value);
    },
  };
}

function cacheControl(seconds: number, stale: number): string {
  const text = `public, max-age=0, s-maxage=${seconds}`;
  return seconds === 0 || stale === 0 ? text : `${text}, stale-while-revalidate=${stale}`;
}

/** The headers of every answer besides the sandbox. @param origin where it is served */
function commonHeaders(origin: string): Pairs {
  const headers: [name: string, value: string][] = [
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ];
  // Without subdomains, which may belong to other services.
  if (origin.startsWith('https:')) headers.push(['Strict-Transport-Security', `max-age=${yearSeconds}`]);
  return headers;
}

function pageHeaders(safetyHeaders: Pairs, tokens: string): readonly string[] {
  return ['Content-Security-Policy', `sandbox ${tokens}`, ...safetyHeaders.flat(), 'Vary', 'Accept-Encoding'];
}
