import type { IncomingMessage, ServerResponse } from 'node:http';
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

  return {
    /** For a raw page that was answered in the synchronous step in which its request arrived. */
    answeredNow(res: ServerResponse, startedAt: number): void {
      raw.answered(res.statusCode, (performance.now() - startedAt) / 1_000);
    },

    /** For every other request. @param address null: not that of a page */
    watch(res: ServiceResponse, startedAt: number, address: PublicAddress | null): void {
      const method = res.req.method ?? '';
      if (address?.isRaw && (method === 'GET' || method === 'HEAD')) res.locals.counter = raw;
      const arrivalMs = timeBody(res.req);
      let isAnswered = false;
      res.once('prefinish', () => {
        isAnswered = true;
        const counter = res.locals.counter ?? others.get(method) ?? ofOtherMethods;
        const { begunAt = performance.now(), waitedMs = 0 } = res.locals;
        const ownMs = begunAt - startedAt - arrivalMs() - waitedMs;
        counter.answered(res.statusCode, Math.max(0, ownMs) / 1_000);
      });
      res.once('close', () => {
        if (!isAnswered) requests.abandoned();
      });
    },
  };
}

const none = () => 0;

/** @returns a function that says for how many ms the service has waited for the body: from when it begins to read it until its end */
function timeBody(req: IncomingMessage): () => number {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
  if (length === '0' && coding === undefined) return none;
  let readAt: number | null = null;
  let endedAt: number | null = null;
  req.once('resume', () => {
    readAt = performance.now();
  });
  req.once('end', () => {
    endedAt = performance.now();
  });
  return () => (readAt === null ? 0 : (endedAt ?? performance.now()) - readAt);
}
