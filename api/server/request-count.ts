import type { ServerResponse } from 'node:http';
import type { Metrics } from '../../shared/metrics/metrics.ts';
import { rawPath } from '../http/paths.ts';
import type { ServiceResponse } from '../http/send.ts';
import type { PublicAddress } from '../pages/public-page.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Counts answers by route; as `other` if no route answers, because clients choose paths and methods. */
export function createRequestCount({ requests }: Metrics) {
  const raw = requests.route('GET', rawPath(':slug'));
  const others = new Map(methods.map((method) => [method, requests.route(method, 'other')]));
  const ofOtherMethods = requests.route('other', 'other');
  const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1_000;

  return {
    /** For a raw page that was answered in the synchronous step in which its request arrived. */
    answeredNow(res: ServerResponse, startedAt: number): void {
      raw.answered(res.statusCode, secondsSince(startedAt));
    },

    /** For every other request. @param address null: not that of a page */
    watch(res: ServiceResponse, startedAt: number, address: PublicAddress | null): void {
      const method = res.req.method ?? '';
      if (address?.isRaw && (method === 'GET' || method === 'HEAD')) res.locals.counter = raw;
      let isAnswered = false;
      res.once('prefinish', () => {
        isAnswered = true;
        const counter = res.locals.counter ?? others.get(method) ?? ofOtherMethods;
        counter.answered(res.statusCode, secondsSince(startedAt));
      });
      res.once('close', () => {
        if (!isAnswered) requests.abandoned();
      });
    },
  };
}
