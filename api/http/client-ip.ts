import type { IncomingMessage } from 'node:http';
import express from 'express';

/**
 * Tells a request's address as Express does in `req.ip`, also where the request does not pass through Express.
 * @param trustProxy Express's setting of that name
 * @returns a function whose answer is undefined once the connection is gone
 */
export function createIpReader(trustProxy: TrustProxy): (req: IncomingMessage) => string | undefined {
  const app = express().set('trust proxy', trustProxy);
  return ({ headers, socket }) =>
    // Proof: what Express declares for `ip`; of the request it reads no more than this.
    Reflect.get(app.request, 'ip', { app, headers, socket }) as string | undefined;
}

type TrustProxy = number | string[] | false;

/** TRUST_PROXY for Express: hops as a number, addresses and ranges as they are; nobody by default. */
export function readTrustProxy(setting: string): TrustProxy {
  if (setting === '') return false;
  return /^\d+$/.test(setting) ? Number(setting) : setting.split(',').map((part) => part.trim());
}
