import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type Client, createPlainClient, type RequestOptions } from '../test/support/client.ts';
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

/** Clients that repeat what `act` does, over persistent connections from an address of their own. */
export function repeating(clients: number, act: (client: Client, n: number) => Promise<unknown>): Attack {
  return async ({ url }, isOver) => {
    const client = createPlainClient(url, {}, { localAddress: '127.0.0.2' });
    await times(clients, async (index) => {
      for (let n = 0; !isOver(); n++) await act(client, index * 1_000_000 + n).catch(() => pause(10)); // cut off: again
    });
    client.close();
  };
}

type Asked = readonly [method: string, path: string, options: RequestOptions];

/** Clients that repeat a request. */
export function asking(clients: number, ask: (target: Target) => Asked): Attack {
  return (target, isOver) => {
    const [method, path, options] = ask(target);
    return repeating(clients, (client) => client.request(method, path, options))(target, isOver);
  };
}

/** Clients that repeat a POST of a drop. */
function posting(clients: number, make: () => string | Uint8Array, headers = {}): Attack {
  return asking(clients, ({ token }) => ['POST', '/api/drops', { token, raw: make(), headers }]);
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

/** Documents in which what the checks before publishing look for seems to begin again and again. */
const hostileDocuments: readonly (readonly [name: string, piece: string, bytes: number])[] = [
  ['60 KB of <a', '<a', 60_000],
];

/** bench/attack.ts runs them one after another. */
export const attacks: readonly (readonly [name: string, attack: Attack])[] = [
  ...hostileDocuments.map(
    ([name, piece, bytes]) =>
      [
        `a document of ${name}`,
        asking(1, ({ token }) => [
          'POST',
          '/api/drops',
          { token, body: { title: name, html: piece.repeat(bytes / piece.length) } },
        ]),
      ] as const,
  ),
  ['12 MB of [', posting(2, () => '['.repeat(12 * mib))],
  ['900,000 keys', posting(2, () => `{${Array.from({ length: 900_000 }, (_, n) => `"k${n}":1`)}}`)],
  [
    'gzip bombs of 100 MB',
    posting(20, () => gzipSync(Buffer.alloc(100 * mib)), { 'content-encoding': 'gzip' }),
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
  ['100 clients that request an unknown path', asking(100, () => ['GET', '/nothing', {}])],
  [
    '100 clients with unknown tokens',
    asking(100, ({ token }) => ['GET', '/api/drops', { token: token.slice(0, -1) }]),
  ],
  ['100 clients that start sign-ins', asking(100, () => ['POST', '/api/auth/start', { body: {} }])],
  [
    '50 clients with wrong passcodes',
    asking(50, ({ url, lockedPath }) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: url };
      return ['POST', lockedPath, { raw: 'passcode=wrong-one', headers }];
    }),
  ],
  [
    '100 clients with heads of 15 KB',
    asking(100, () => {
      const headers = { cookie: 'dropleaf_pass=x; '.repeat(600), accept: 'a/b,'.repeat(1_000) };
      return ['GET', '/p/nosuchslug00', { headers }];
    }),
  ],
  [
    '4 clients with a Host of 15,500 dots',
    asking(4, () => ['GET', '/nothing', { headers: { host: `${'.'.repeat(15_500)}a` } }]),
  ],
  [
    '100 clients with queries of 15 KB',
    asking(100, ({ token }) => {
      const filters = Array.from({ length: 99 }, (_, n) => `metadata.k${n}=${'v'.repeat(140)}`);
      return ['GET', `/api/drops?${filters.join('&')}`, { token }];
    }),
  ],
];
