import type { ServerResponse } from 'node:http';
import { type Config, unpurgedSeconds } from '../../shared/config/config.ts';
import type { Clock } from '../../shared/domain/clock.ts';
import { isPublic, isRestricted } from '../../shared/drops/access.ts';
import { edgeTag, type Page } from '../../shared/drops/drop.ts';
import type { BodyFacts } from '../../shared/pages/body.ts';
import { indexIfEmbedded, noindex, robotsHeader } from '../http/send.ts';
import type { ContentHost } from './content-hosts.ts';

/**
 * Scripts and forms run in an opaque origin. Never `allow-same-origin` on our host (docs/decisions/pages.md, The raw page). Only
 * what all engines know: WebKit logs an error for every other one.
 */
export const sandbox = [
  'allow-scripts',
  'allow-forms',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-modals',
  'allow-downloads',
  'allow-pointer-lock',
  'allow-top-navigation-by-user-activation',
].join(' ');

/** On a host of its own a drop has an origin, and so storage and cookies. */
export const sandboxOnOwnHost = `${sandbox} allow-same-origin`;

/** Without a purger: the last part of the cache lifetime, in which the cache may serve the page while it revalidates. */
const staleShare = 0.4;

/** How long deploy/varnish.vcl serves a page beyond its cache lifetime, unless `proxy-revalidate` forbids it. */
const graceSeconds = 60;

const resourcePolicy = 'Cross-Origin-Resource-Policy';

const yearSeconds = 31_536_000;

export interface Caching {
  /** null: the service's own host. */
  readonly host: ContentHost | null;
  /** Whether the database has just confirmed that the page is public. */
  readonly isConfirmed: boolean;
  /** Whether the address contains the version's internal id, so that it can never mean another document. */
  readonly isPinned: boolean;
}

/** As name, value, name, value, …: the fastest form for Node. */
export interface PageHeaders {
  /** For a 200. */
  readonly whole: string[];
  /** For a 304. They replace those that the browser has stored, so they equal those of the 200. */
  readonly notModified: string[];
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** The header in which the cache looks for a drop's tag (deploy/README.md). */
const tagHeaders: Readonly<Record<string, string>> = {
  http: 'Cache-Tag',
  cloudflare: 'Cache-Tag',
  fastly: 'Surrogate-Key',
  varnish: 'Surrogate-Key',
};

/** The headers of raw pages, of cards, and of their refusals. */
export class RawHeaders {
  readonly #clock: Clock;
  readonly #edgeSeconds: number;
  readonly #onOurHost: Pairs;
  readonly #onOwnHost: Pairs;
  readonly #ofPageOnOurHost: PageHeads;
  readonly #ofPageOnOwnHost: PageHeads;
  readonly #maxStale: number;
  readonly #tagHeader: string | undefined;
  readonly #robots: string;

  /** @param edgeSeconds the cache lifetime of a page at the edge, unless its drop expires earlier */
  constructor(config: Config, edgeSeconds: number, clock: Clock) {
    const { BASE_URL, CONTENT_ORIGIN, EDGE_PURGER, INDEXABLE } = config;
    this.#clock = clock;
    this.#edgeSeconds = edgeSeconds;
    this.#onOurHost = commonHeaders(BASE_URL);
    // The hosts of drops share a domain: no drop may join another one's origin by `document.domain`.
    this.#onOwnHost = [...commonHeaders(CONTENT_ORIGIN), ['Origin-Agent-Cluster', '?1']];
    this.#ofPageOnOurHost = pageHeaders(this.#onOurHost, sandbox);
    this.#ofPageOnOwnHost = pageHeaders(this.#onOwnHost, sandboxOnOwnHost);
    // With a purger the edge sets it (deploy/varnish.vcl): browsers would obey the header, and cannot be purged.
    this.#maxStale = EDGE_PURGER === 'none' ? Math.floor(edgeSeconds * staleShare) : 0;
    this.#tagHeader = tagHeaders[EDGE_PURGER];
    // Search engines list the viewer page.
    this.#robots = INDEXABLE ? indexIfEmbedded : noindex;
  }

  ofPage(page: Page, body: BodyFacts, caching: Caching): PageHeaders {
    const isOpen = isPublic(page);
    const heads = caching.host === null ? this.#ofPageOnOurHost : this.#ofPageOnOwnHost;
    const notModified = [...(isRestricted(page) ? heads.restricted : heads.open)];
    notModified.push('Cache-Control', this.#cachingOf(page, body.isFinal, caching));
    notModified.push(robotsHeader, isOpen ? this.#robots : noindex);
    if (isOpen && this.#tagHeader !== undefined) notModified.push(this.#tagHeader, edgeTag(page.dropId));
    if (body.etag !== null) notModified.push('ETag', body.etag);
    const whole = [...notModified, 'Content-Type', 'text/html; charset=utf-8'];
    if (body.encoding !== 'identity') whole.push('Content-Encoding', body.encoding);
    whole.push('Content-Length', String(body.byteLength));
    return { whole, notModified };
  }

  /** Shared caches keep a card like the page. @param isFinal false: the drop's own card is not drawn yet */
  setForCard(res: ServerResponse, page: Page, isFinal: boolean): void {
    for (const [name, value] of this.#onOurHost) res.setHeader(name, value);
    res.setHeader('Cache-Control', this.#cachingOf(page, isFinal, { isConfirmed: true, isPinned: false }));
    if (!isPublic(page)) return;
    res.removeHeader('X-Request-Id'); // a cache would repeat it
    if (this.#tagHeader !== undefined) res.setHeader(this.#tagHeader, edgeTag(page.dropId));
  }

  /** Sets the headers of a refusal, always with the sandbox of an opaque origin. */
  setForRefusal(res: ServerResponse, host: ContentHost | null): void {
    res.setHeader('Content-Security-Policy', `sandbox ${sandbox}`);
    for (const [name, value] of host === null ? this.#onOurHost : this.#onOwnHost) res.setHeader(name, value);
  }

  /** The sandbox of the raw page. */
  setForPrint(res: ServerResponse, page: Page): void {
    this.setForRefusal(res, null);
    if (isRestricted(page)) res.setHeader(resourcePolicy, 'same-origin');
  }

  #cachingOf(page: Page, isFinal: boolean, caching: Omit<Caching, 'host'>): string {
    const { isConfirmed, isPinned } = caching;
    if (!isPublic(page)) return 'private, no-store';
    if (!isFinal) return 'no-store'; // later requests get another body
    // Unconfirmed: the database is down, so a purge may have been missed. Not 0: the edge asks once for each page in that time.
    const most = isConfirmed ? this.#edgeSeconds : Math.min(this.#edgeSeconds, unpurgedSeconds);
    const left = this.#secondsLeft(page);
    if (left !== null) return `${cacheControl(Math.min(left, most), 0)}, proxy-revalidate`;
    // Firefox obeys `stale-while-revalidate`, too: at an address without a version it would show the previous version.
    const stale = isConfirmed && isPinned ? this.#maxStale : 0;
    return cacheControl(most - stale, stale);
  }

  /** Seconds until the drop expires, if a cache could keep the page for longer; otherwise null. */
  #secondsLeft({ expiresAt }: Page): number | null {
    if (expiresAt === null) return null;
    const seconds = Math.max(0, Math.floor((expiresAt - this.#clock.now()) / 1_000));
    return seconds < this.#edgeSeconds + graceSeconds ? seconds : null;
  }
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
    [resourcePolicy, 'cross-origin'],
  ];
  // Without subdomains, which may belong to other services.
  if (origin.startsWith('https:')) headers.push(['Strict-Transport-Security', `max-age=${yearSeconds}`]);
  return headers;
}

interface PageHeads {
  readonly open: readonly string[];
  /** No page of another origin may load it: browsers would send the cookie of the reader's session. */
  readonly restricted: readonly string[];
}

function pageHeaders(safetyHeaders: Pairs, tokens: string): PageHeads {
  const others = safetyHeaders.filter(([name]) => name !== resourcePolicy).flat();
  const of = (policy: string) => [
    'Content-Security-Policy',
    `sandbox ${tokens}`,
    ...others,
    resourcePolicy,
    policy,
    'Vary',
    'Accept-Encoding',
  ];
  return { open: of('cross-origin'), restricted: of('same-origin') };
}
