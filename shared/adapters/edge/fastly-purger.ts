import type { Clock } from '../../ports/clock.ts';
import type { EdgePurger } from '../../ports/edge-purger.ts';
import { createExchange, refused } from './exchange.ts';
import { readJson } from './read-json.ts';

/**
 * Fastly's purge by surrogate key: `POST /service/{service_id}/purge/{surrogate_key}`, answered with
 * `{"status": "ok", "id": …}` (Fastly API reference, Purging). Hard purges: a soft one would let stale pages be shown.
 * @param url of the API, without a trailing slash
 * @param token an API token with the scope `purge_select`
 * @param timeoutMs for the whole exchange
 */
export function createFastlyPurger(options: {
  url: string;
  serviceId: string;
  token: string;
  timeoutMs: number;
  clock: Clock;
}): EdgePurger {
  const { url, serviceId, token } = options;
  const exchange = createExchange(options);
  const headers = { 'fastly-key': token, accept: 'application/json' };

  return {
    async purge(tag) {
      const address = `${url}/service/${serviceId}/purge/${encodeURIComponent(tag)}`;
      const { ok, status, text } = await exchange(tag, address, { method: 'POST', headers });
      const answer = readJson(text, token);
      if (ok && answer.status === 'ok') return;
      throw refused(tag, status, typeof answer.msg === 'string' ? answer.msg : '');
    },
  };
}
