import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { pipeline } from 'node:stream';
import { CliError, exitCodes } from './errors.ts';
import { isLoopback, throughProxy } from './proxy.ts';
import { readAtMost } from './read-at-most.ts';

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** null: none. */
  readonly proxy: URL | null;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
}

/** More than the largest page that a service can be set to accept, 16 MiB. */
const maxAnswerBytes = 20 * 1024 * 1024;

/**
 * Sends one request and reads its answer; no compression, no redirects. @throws CliError if it is too long; errors of Node
 */
export async function exchange(url: URL, sent: Sent, signal: AbortSignal): Promise<Received> {
  const answer = await send(url, sent, signal);
  const bytes = await readAtMost(await decode(answer), maxAnswerBytes);
  const { statusCode: status = 0, headers } = answer;
  if (bytes !== null) return { status, headers, bytes };
  const megabytes = maxAnswerBytes / 1024 / 1024;
  throw new CliError(`${url.origin} answered with more than ${megabytes} MB: nothing was done with it`, {
    exitCode: exitCodes.failed,
    status,
  });
}

async function send(
  url: URL,
  { method, headers, body, proxy }: Sent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const via = proxy === null ? directly(url) : await throughProxy(url, proxy, signal);
  // Here, so that commands without a request start sooner. Node's fetch would take longer, and uses no proxy on Node 20.
  const isTls = (via.protocol ?? url.protocol) === 'https:';
  const { request } = isTls ? await import('node:https') : await import('node:http');
  const allHeaders = { ...headers, 'Accept-Encoding': 'gzip', ...via.headers };
  return new Promise((resolve, reject) => {
    request(url, { method, signal, ...via, headers: allHeaders })
      .on('response', resolve)
      .on('error', reject)
      // After 101 there is no response, and no error either.
      .on('close', () => reject(new Error('the connection was closed without an answer')))
      .end(body);
  });
}

/** Node 24 with NODE_USE_ENV_PROXY would send requests of its own agent to this machine through a proxy, with the token. */
function directly({ hostname }: URL): RequestOptions {
  return isLoopback(hostname) ? { agent: false } : {};
}

async function decode(answer: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return answer;
  if (encoding !== 'gzip')
    throw new Error(`its answer is compressed as ${encoding}, which was not asked for`);
  const { createGunzip } = await import('node:zlib');
  return pipeline(answer, createGunzip(), () => undefined); // the reader of the result gets its errors
}
