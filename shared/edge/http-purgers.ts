import { setTimeout as pause } from 'node:timers/promises';
import { DropError } from '../domain/errors.ts';
import type { EdgePurger } from './edge-purger.ts';
import { createEdgeClient, type EdgeClientOptions } from './http.ts';

/** Every plan of Cloudflare accepts as many tags in a request. */
const cloudflareTags = 30;
/** How long the first tag waits for others: Cloudflare limits requests, 5 a minute or a second. */
const cloudflareWaitMs = 20;

/** A generic hook: each purge is a POST of `{"tag": …}` as JSON, and any 2xx confirms it. */
export function createHttpPurger(options: EdgeClientOptions & { url: string }): EdgePurger {
  const edge = createEdgeClient(options);
  const headers = { 'content-type': 'application/json', ...bearer(options.token) };
  return {
    async purge(tag) {
      const request = { method: 'POST', headers, body: JSON.stringify({ tag }) };
      const { ok, status } = await edge.send(options.url, request);
      if (!ok) throw edge.refusal(tag, status);
    },
  };
}

/**
 * Varnish with `deploy/varnish.vcl`: sends `PURGE /` with the tag in `Surrogate-Key` to every cache; each confirms with 200.
 * @param options `urls`: one for each cache; without a token the caches check the sender's address
 */
export function createVarnishPurger(options: EdgeClientOptions & { urls: readonly string[] }): EdgePurger {
  const caches = options.urls.map((url) => ({ url, edge: createEdgeClient(options) }));
  return {
    async purge(tag) {
      const headers = { 'surrogate-key': tag, ...bearer(options.token) };
      const outcomes = await Promise.allSettled(
        caches.map(async ({ url, edge }) => {
          const { status } = await edge.send(url, { method: 'PURGE', headers });
          if (status !== 200) throw edge.refusal(tag, status);
        }),
      );
      const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      if (failures.length > 0) throw combine(tag, failures, caches.length);
    },
  };
}

/** One error for all caches that failed: if each only limits purges, the one with the longest wait. */
function combine(tag: string, failures: readonly unknown[], caches: number): unknown {
  if (caches === 1) return failures[0];
  const limits = failures.filter((failure) => failure instanceof DropError);
  const secondsOf = ({ details }: DropError) => Number(details?.retry_after_seconds);
  if (limits.length === failures.length) return limits.sort((a, b) => secondsOf(b) - secondsOf(a))[0];
  const count = `${failures.length} of ${caches} caches`;
  return new AggregateError(failures, `${count} did not confirm a purge of ${tag}: ${failures.join('; ')}`);
}

/**
 * Fastly's purge by surrogate key: `POST /service/{service_id}/purge/{surrogate_key}`, answered with
 * `{"status": "ok", "id": …}` (Fastly API reference, Purging). Not soft: a soft purge lets stale pages be served.
 * @param options `url` of the API, without a trailing slash; `token` with the scope `purge_select`
 */
export function createFastlyPurger(
  options: EdgeClientOptions & { url: string; serviceId: string },
): EdgePurger {
  const edge = createEdgeClient(options);
  const headers = { 'fastly-key': options.token, accept: 'application/json' };
  return {
    async purge(tag) {
      const url = `${options.url}/service/${options.serviceId}/purge/${encodeURIComponent(tag)}`;
      const { ok, status, fields } = await edge.send(url, { method: 'POST', headers });
      if (ok && fields.status === 'ok') return;
      throw edge.refusal(tag, status, typeof fields.msg === 'string' ? fields.msg : '');
    },
  };
}

/**
 * Cloudflare's purge by cache tag: `POST /client/v4/zones/{zone_id}/purge_cache` with `{"tags": […]}`. Confirmed by
 * `"success": true` in the body, which a 200 may lack (Cloudflare API, Purge Cached Content). Tags that are purged at
 * about the same time share a request; none is added to a request that was sent, which may be too early for it.
 * @param options `url` of the API, without a trailing slash; `token` with the permission Cache Purge for the zone
 */
export function createCloudflarePurger(
  options: EdgeClientOptions & { url: string; zoneId: string },
): EdgePurger {
  const edge = createEdgeClient(options);
  const url = `${options.url}/client/v4/zones/${options.zoneId}/purge_cache`;
  const headers = { 'content-type': 'application/json', ...bearer(options.token) };
  let open: { tags: Set<string>; sent: Promise<void> } | null = null;

  async function sendSoon(tags: ReadonlySet<string>): Promise<void> {
    await pause(cloudflareWaitMs);
    if (open?.tags === tags) open = null;
    const request = { method: 'POST', headers, body: JSON.stringify({ tags: [...tags] }) };
    const { ok, status, fields } = await edge.send(url, request);
    if (!ok || fields.success !== true)
      throw edge.refusal([...tags].join(', '), status, describeErrors(fields.errors));
  }

  return {
    purge(tag) {
      if (open === null || (open.tags.size >= cloudflareTags && !open.tags.has(tag))) {
        const tags = new Set<string>();
        open = { tags, sent: sendSoon(tags) };
      }
      open.tags.add(tag);
      return open.sent;
    },
  };
}

/** `[{"code": 10000, "message": …}]` as text. */
function describeErrors(errors: unknown): string {
  if (!Array.isArray(errors)) return '';
  return errors
    .map((error: { code?: unknown; message?: unknown }) => `${error?.code} ${error?.message}`)
    .join(', ');
}

function bearer(token: string): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}
