import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createPlainClient, type RequestOptions } from '../test/support/client.ts';
import { requestHead } from '../test/support/socket.ts';

export interface Target {
  readonly url: string;
  /** The attacker's own. */
  readonly token: string;
  /** The raw page of a document of 2 MB. */
  readonly largePath: string;
  /** A drop with a passcode. */
  readonly lockedPath: string;
}

/** Resolves after `isOver` says true. */
export type Attack = (target: Target, isOver: () => boolean) => Promise<unknown>;

const mib = 1024 * 1024;
const post = (target: Target, raw: string | Uint8Array, headers: Record<string, string> = {}) =>
  asking('POST', '/api/drops', { token: target.token, raw, headers });

/** Clients that repeat a request, each over a persistent connection, from an address of their own. */
export function asking(method: string, path: string, options: RequestOptions) {
  return (clients: number): Attack =>
    async ({ url }, isOver) => {
      const client = createPlainClient(url, {}, { localAddress: '127.0.0.2' });
      await times(clients, async () => {
        while (!isOver()) await client.request(method, path, options).catch(() => pause(10)); // cut off: again
      });
      client.close();
    };
}

export function times(count: number, work: (index: number) => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Connections from one or more addresses; one that ends is opened again. */
function onConnections(
  count: number,
  use: (socket: Socket, target: Target) => Promise<unknown>,
  addresses = 1,
): Attack {
  return async (target, isOver) => {
    const { hostname, port } = new URL(target.url);
    await times(count, async (index) => {
      await pause(index % 50); // not all in one turn of the attacker's own loop
      while (!isOver()) {
        const localAddress = `127.0.0.${1 + (index % addresses)}`;
        const socket = connect({ host: hostname, port: Number(port), noDelay: true, localAddress });
        socket.on('error', () => undefined);
        const ended = new Promise((resolve) => socket.once('close', resolve));
        await Promise.race([ended, use(socket, target), untilOver(isOver)]);
        socket.destroy();
      }
    });
  };
}

async function untilOver(isOver: () => boolean): Promise<void> {
  while (!isOver()) await pause(50);
}

function write(socket: Socket, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => socket.write(data, () => resolve()));
}

/** Sends the piece again and again until the connection ends. */
async function drip(socket: Socket, piece: string, everyMs: number): Promise<void> {
  while (!socket.destroyed) {
    await write(socket, piece);
    await pause(everyMs);
  }
}

function postHead(token: string, framing: Record<string, string>): string {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...framing };
  return requestHead('POST', '/api/drops', headers);
}

/** Bodies of large documents that arrive piece by piece. @param token unset: the attacker's own */
function sendBodies(
  count: number,
  framing: Record<string, string>,
  piece: string,
  everyMs: number,
  token?: string,
): Attack {
  return onConnections(count, async (socket, target) => {
    await write(socket, postHead(token ?? target.token, framing));
    await drip(socket, piece, everyMs);
  });
}

const byLength = { 'content-length': String(2 * mib) };
const inChunks = { 'transfer-encoding': 'chunked' };
const chunksOfOneByte = '1\r\nx\r\n'.repeat(10_000);

/** bench/attack.ts runs them one after another. */
export const attacks: readonly (readonly [name: string, attack: Attack])[] = [
  ['12 MB of [', (target, isOver) => post(target, '['.repeat(12 * mib))(2)(target, isOver)],
  [
    '900,000 keys',
    (target, isOver) => {
      const keys = Array.from({ length: 900_000 }, (_, index) => `"k${index}":1`);
      return post(target, `{${keys.join()}}`)(2)(target, isOver);
    },
  ],
  [
    'gzip bombs of 100 MB',
    (target, isOver) => {
      const bomb = gzipSync(Buffer.alloc(100 * mib));
      return post(target, bomb, { 'content-encoding': 'gzip' })(20)(target, isOver);
    },
  ],
  [
    '1,000 heads, a line a second',
    onConnections(1_000, async (socket) => {
      await write(socket, 'GET /p/x HTTP/1.1\r\nhost: x\r\n');
      await drip(socket, 'x-more: x\r\n', 1_000);
    }),
  ],
  ['500 bodies, byte by byte', sendBodies(500, byLength, 'x', 5)],
  ['500 bodies, byte by byte, no token', sendBodies(500, byLength, 'x', 5, 'dl_none')],
  ['200 bodies in chunks of one byte', sendBodies(200, inChunks, chunksOfOneByte, 0)],
  ['the same, no token', sendBodies(200, inChunks, chunksOfOneByte, 0, 'dl_none')],
  [
    '12 bodies of 13 MB, never finished',
    onConnections(12, async (socket, { token }) => {
      await write(socket, postHead(token, { 'content-length': String(13 * mib) }));
      await write(socket, Buffer.alloc(13 * mib - 1, 'x'));
      await drip(socket, '', 1_000);
    }),
  ],
  [
    '640 forms from 16 addresses, never finished',
    onConnections(
      640,
      async (socket, { url, lockedPath }) => {
        const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '8000' };
        await write(socket, requestHead('POST', lockedPath, { ...form, origin: url }));
        await write(socket, 'x'.repeat(7_999));
        await drip(socket, '', 1_000);
      },
      16,
    ),
  ],
  [
    '300 readers of nothing, 20 pages of 2 MB each',
    onConnections(300, async (socket, { largePath }) => {
      socket.pause();
      await write(socket, requestHead('GET', largePath, { 'accept-encoding': 'identity' }).repeat(20));
      await drip(socket, '', 1_000);
    }),
  ],
  [
    'garbage behind 20 requests',
    onConnections(100, async (socket) => {
      await write(socket, `${requestHead('GET', '/healthz', {}).repeat(20)}garbage\r\n\r\n`);
      await drip(socket, 'x', 100);
    }),
  ],
  ['connections, opened and closed', onConnections(100, (socket) => once(socket, 'connect'))],
  ['100 clients that request an unknown path', asking('GET', '/nothing', {})(100)],
  [
    '100 clients with unknown tokens',
    (target, isOver) =>
      asking('GET', '/api/drops', { token: target.token.slice(0, -1) })(100)(target, isOver),
  ],
  ['100 clients that start sign-ins', asking('POST', '/api/auth/start', { body: {} })(100)],
  [
    '50 clients with wrong passcodes',
    (target, isOver) =>
      asking('POST', target.lockedPath, {
        raw: 'passcode=wrong-one',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: target.url },
      })(50)(target, isOver),
  ],
  [
    '100 clients with heads of 15 KB',
    asking('GET', '/p/nosuchslug00', {
      headers: { cookie: 'dropleaf_pass=x; '.repeat(600), accept: 'a/b,'.repeat(1_000) },
    })(100),
  ],
  [
    '100 clients with queries of 15 KB',
    (target, isOver) => {
      const filters = Array.from({ length: 99 }, (_, n) => `metadata.k${n}=${'v'.repeat(140)}`);
      return asking('GET', `/api/drops?${filters.join('&')}`, { token: target.token })(100)(target, isOver);
    },
  ],
];
