import { DropError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EdgePurger } from '../../ports/edge-purger.ts';
import { createExchange, refused } from './exchange.ts';

/**
 * Varnish with `deploy/varnish.vcl`: each purge is a request `PURGE /` with the tag in `Surrogate-Key`, to every cache, and
 * a 200 of each confirms it.
 * @param urls one for each cache
 * @param token sent as a bearer token; '' for none, where the caches go by the sender's address
 * @param timeoutMs for the exchange with each cache; they run at the same time
 */
export function createVarnishPurger(options: {
  urls: readonly string[];
  token: string;
  timeoutMs: number;
  clock: Clock;
}): EdgePurger {
  const { urls, token } = options;
  const caches = urls.map((url) => ({ url, exchange: createExchange(options) }));
  const authorization: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };

  return {
    async purge(tag) {
      const headers = { 'surrogate-key': tag, ...authorization };
      const outcomes = await Promise.allSettled(
        caches.map(async ({ url, exchange }) => {
          const { status } = await exchange(tag, url, { method: 'PURGE', headers });
          if (status !== 200) throw refused(tag, status);
        }),
      );
      const faults = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      if (faults.length === 0) return;
      if (caches.length === 1) throw faults[0];
      const rests = faults.filter((fault): fault is DropError => fault instanceof DropError);
      if (rests.length === faults.length) throw longestOf(rests); // the others have had it, or have it again then
      const count = `${faults.length} of ${caches.length} caches`;
      throw new AggregateError(faults, `${count} did not confirm a purge of ${tag}: ${faults.join('; ')}`);
    },
  };
}

/** The one that names the latest time. */
function longestOf(rests: readonly DropError[]): DropError | undefined {
  const secondsOf = ({ details }: DropError) => Number(details?.retry_after_seconds);
  return [...rests].sort((a, b) => secondsOf(b) - secondsOf(a))[0];
}
