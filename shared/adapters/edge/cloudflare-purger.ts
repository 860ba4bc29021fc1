import type { Clock } from '../../ports/clock.ts';
import type { EdgePurger } from '../../ports/edge-purger.ts';
import { createExchange, refused } from './exchange.ts';
import { createGathering } from './gathering.ts';
import { readJson } from './read-json.ts';

/** Every plan takes as many in a request; some take more. */
const tagsAtOnce = 30;
/** Requests are what Cloudflare counts: 5 a minute, or a second, are soon used up. */
const gatherMs = 20;

/**
 * Cloudflare's purge by cache tag: `POST /client/v4/zones/{zone_id}/purge_cache` with `{"tags": […]}`. Confirmed by
 * `"success": true` in the answer, which may be missing from a 200 too (Cloudflare API, Purge Cached Content).
 * @param url of the API, without a trailing slash
 * @param token an API token with the permission Cache Purge for the zone
 * @param timeoutMs for the whole exchange
 */
export function createCloudflarePurger(options: {
  url: string;
  zoneId: string;
  token: string;
  timeoutMs: number;
  clock: Clock;
}): EdgePurger {
  const { url, zoneId, token } = options;
  const exchange = createExchange(options);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };

  async function send(tags: readonly string[]): Promise<void> {
    const named = tags.length === 1 ? `${tags[0]}` : `${tags[0]} and ${tags.length - 1} more`;
    const { ok, status, text } = await exchange(named, `${url}/client/v4/zones/${zoneId}/purge_cache`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ tags }),
    });
    const { success, errors } = readJson(text, token);
    if (!ok || success !== true) throw refused(named, status, describeErrors(errors));
  }

  return { purge: createGathering({ atMost: tagsAtOnce, waitAtMost: gatherMs, send }) };
}

/** `[{"code": 10000, "message": …}]`, as text. */
function describeErrors(errors: unknown): string {
  if (!Array.isArray(errors)) return '';
  return errors
    .map((error: { code?: unknown; message?: unknown }) => `${error?.code} ${error?.message}`)
    .join(', ');
}
