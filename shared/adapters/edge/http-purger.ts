import type { Clock } from '../../ports/clock.ts';
import type { EdgePurger } from '../../ports/edge-purger.ts';
import { createExchange, refused } from './exchange.ts';

/**
 * A generic hook: each purge is a POST of `{"tag": …}` as JSON, and any 2xx confirms it.
 * @param token sent as a bearer token; '' for none
 * @param timeoutMs for the whole exchange
 */
export function createHttpPurger(options: {
  url: string;
  token: string;
  timeoutMs: number;
  clock: Clock;
}): EdgePurger {
  const { url, token } = options;
  const exchange = createExchange(options);
  const headers = {
    'content-type': 'application/json',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  };

  return {
    async purge(tag) {
      const { ok, status } = await exchange(tag, url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ tag }),
      });
      if (!ok) throw refused(tag, status);
    },
  };
}
