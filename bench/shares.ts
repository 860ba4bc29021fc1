// Whether uploads and downloads that make progress end while other connections are opened without end, from the same address and
// from another one, and whether visitors with a connection each are answered. Each is tried beside each flood. Exits with 1 otherwise.
// usage: main.js --only shares [--connections MAX_CONNECTIONS, default 600] [--rate connections a second, default 60]
//   [--seconds 12] [--floods part of their names]
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { requestHead } from '../test/support/socket.ts';
import { formatTable, readOptions, say, tellMisses } from './harness.ts';
import { makePage } from './load.ts';
import { publish, type Served, serve } from './served.ts';

const { values } = readOptions({ connections: '600', rate: '60', seconds: '12', floods: '' });
const seconds = Number(values.seconds);
const rate = Number(values.rate);
/** Of an upload and a download, which take longer than the flood. */
const bytesPerSecond = 100_000;

type Use = (socket: Socket, served: Served) => Promise<void>;

const floods: readonly (readonly [name: string, use: Use])[] = [
  ['empty connections', async () => undefined],
  ['heads, a line a second', (socket) => drip(socket, 'GET /p/x HTTP/1.1\r\nhost: x\r\n', 'x-more: x\r\n')],
  ['bodies, a byte a second', (socket, served) => drip(socket, uploadHead(served), ' ')],
  ['kept after an answer', async (socket) => void socket.write(requestHead('GET', '/healthz', {}))],
];

const served = await serve('embedded', { MAX_CONNECTIONS: values.connections });
const heads = ['upload', 'download', 'visitors of the address', 'visitors of a third'];
const expected = ['stays', 'stays', '100 %', '100 %'];
const slug = await publish(served, makePage(2 * 1024 * 1024));
const misses: string[] = [];
const rows: string[][] = [];
for (const [name, use] of floods.filter(([name]) => name.includes(values.floods))) {
  for (const address of ['127.0.0.1', '127.0.0.2']) {
    const outcome = await tryBeside(use, address);
    rows.push([name, address === '127.0.0.1' ? 'same' : 'another', ...outcome]);
    say(rows.at(-1)?.join('  ') ?? '');
    for (const [n, what] of outcome.entries())
      if (what !== expected[n]) misses.push(`${heads[n]} beside ${name} from ${address}: ${what}`);
  }
}
await served.close();
process.stdout.write(`
MAX_CONNECTIONS ${values.connections}, ${rate} new connections a second for ${seconds} s

${formatTable(['flood', 'address', ...heads], rows)}
`);
tellMisses(misses);

async function tryBeside(use: Use, localAddress: string): Promise<readonly string[]> {
  const upload = open('127.0.0.1');
  const download = open('127.0.0.1');
  const start = performance.now();
  const outcomes = [upload, download].map((socket) => outcomeOf(socket, start));
  void drip(upload, uploadHead(served), ' '.repeat(bytesPerSecond / 10), 100);
  void readSlowly(download);
  const visitors = [localAddress, '127.0.0.3'].map(startVisitors);
  const flood: Socket[] = [];
  for (let opened = 0; performance.now() - start < seconds * 1_000; ) {
    const due = Math.floor(((performance.now() - start) / 1_000) * rate);
    for (; opened < due; opened++) {
      const socket = open(localAddress);
      flood.push(socket);
      void use(socket, served);
    }
    await pause(10);
  }
  const found = [...outcomes, ...visitors].map((outcome) => outcome());
  for (const socket of [upload, download, ...flood]) socket.destroy();
  await pause(500);
  return found;
}

function open(localAddress: string): Socket {
  const { hostname, port } = new URL(served.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}

function outcomeOf(socket: Socket, start: number): () => string {
  let endedAfter: number | null = null;
  socket.once('close', () => {
    endedAfter = performance.now() - start;
  });
  return () => (endedAfter === null ? 'stays' : `ends after ${(endedAfter / 1_000).toFixed(1)} s`);
}

/** Ten a second. @returns what ends them and says how many were answered */
function startVisitors(localAddress: string): () => string {
  let answered = 0;
  let ended = 0;
  const timer = setInterval(() => {
    const socket = open(localAddress);
    let isAnswered = false;
    socket.once('data', () => {
      isAnswered = true;
      socket.destroy();
    });
    socket.once('close', () => {
      ended += 1;
      if (isAnswered) answered += 1;
    });
    socket.write(requestHead('GET', '/healthz', {}));
  }, 100);
  return () => {
    clearInterval(timer);
    return `${Math.round((100 * answered) / ended)} %`;
  };
}

function uploadHead({ token }: Served): string {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/html' };
  return requestHead('POST', '/api/drops?title=x', { ...headers, 'content-length': String(2_000_000) });
}

async function drip(socket: Socket, head: string, piece: string, everyMs = 1_000): Promise<void> {
  socket.write(head);
  while (!socket.destroyed) {
    await pause(everyMs);
    if (!socket.destroyed) socket.write(piece);
  }
}

/** At most `bytesPerSecond`, of two megabytes after each other: the systems between hold several. */
async function readSlowly(socket: Socket): Promise<void> {
  socket.pause();
  socket.write(requestHead('GET', `/p/${slug}/raw`, { 'accept-encoding': 'identity' }).repeat(8));
  while (!socket.destroyed) {
    socket.read(bytesPerSecond / 10);
    await pause(100);
  }
}
