import { type Config, edgeUrls } from '../config/config.ts';
import type { Clock } from '../domain/clock.ts';
import type { EdgePurger } from '../edge/edge-purger.ts';
import {
  createCloudflarePurger,
  createFastlyPurger,
  createHttpPurger,
  createVarnishPurger,
} from '../edge/http-purgers.ts';

const purgeTimeoutMs = 5_000;

/** The purger that `EDGE_PURGER` names; null: none is set. */
export function openEdgePurger(config: Config, clock: Clock): EdgePurger | null {
  const [url = ''] = edgeUrls(config);
  const options = { token: config.EDGE_PURGE_TOKEN, timeoutMs: purgeTimeoutMs, clock };
  switch (config.EDGE_PURGER) {
    case 'http':
      return createHttpPurger({ ...options, url });
    case 'varnish':
      return createVarnishPurger({ ...options, urls: edgeUrls(config) });
    case 'fastly':
      return createFastlyPurger({
        ...options,
        url: url || 'https://api.fastly.com',
        serviceId: config.EDGE_FASTLY_SERVICE_ID,
      });
    case 'cloudflare':
      return createCloudflarePurger({
        ...options,
        url: url || 'https://api.cloudflare.com',
        zoneId: config.EDGE_CLOUDFLARE_ZONE_ID,
      });
    default:
      return null;
  }
}
