import { connect, type Socket } from 'node:net';
import type { Answer } from './client.ts';
import type { WireBody } from './wire.ts';

/** A bare connection, for what no HTTP client would send: half a request, a broken one, one read late. */
export interface Connection {
  /** Resolves when the operating system has taken the bytes; also when the other side has closed. */
  send(data: string | Uint8Array): Promise<void>;
  /** The same. @throws if the other side closes before it has taken all of them */
  sendAll(data: string | Uint8Array): Promise<void>;
  /** The next answer, once it is whole. @throws when the connection ends before */
  answer(): Promise<Answer>;
  close(): void;
}

/** @param url of the service */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const received = collect(socket);
  return {
    send: (data) => new Promise((resolve) => socket.write(data, () => resolve())),
    sendAll: (data) =>
      new Promise((resolve, reject) => socket.write(data, (error) => (error ? reject(error) : resolve()))),
    answer: () => received.next(),
    close: () => socket.destroy(),
  };
}

/** Sends the text over a connection of its own. @returns the answer */
export async function exchange(url: string, text: string | Uint8Array): Promise<Answer> {
  const connection = await openConnection(url);
  try {
    await connection.send(text);
    return await connection.answer();
  } finally {
    connection.close();
  }
}

/** The text of a request's head, with a Host. */
export function requestHead(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function collect(socket: Socket) {
  let bytes = Buffer.alloc(0);
  let ended: Error | null = null;
  let wake = (): void => undefined;
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    wake();
  });
  const end = (error: Error) => {
    ended ??= error;
    wake();
  };
  socket.on('error', end);
  socket.on('close', () => end(new Error(`the connection ended after ${bytes.length} bytes: ${bytes}`)));

  return {
    async next(): Promise<Answer> {
      for (;;) {
        const found = takeAnswer(bytes);
        if (found !== null) {
          bytes = bytes.subarray(found.length);
          return found.answer;
        }
        if (ended !== null) throw ended;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The first final answer in the bytes, skipping interim ones (1xx); null while it is not whole. */
function takeAnswer(bytes: Buffer): { answer: Answer; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const bodyStart = headEnd + 4;
  if (status < 200) {
    const rest = takeAnswer(bytes.subarray(bodyStart));
    return rest && { answer: rest.answer, length: bodyStart + rest.length };
  }
  const headers: Record<string, string> = {};
  for (const line of lines)
    headers[line.slice(0, line.indexOf(':')).toLowerCase()] = line.slice(line.indexOf(':') + 1).trim();
  const found =
    headers['transfer-encoding'] === 'chunked'
      ? takeChunks(bytes, bodyStart)
      : takeLength(bytes, bodyStart, Number(headers['content-length'] ?? 0));
  if (found === null) return null;
  const { body, end: bodyEnd } = found;
  const text = body.toString('utf8');
  const isJson = headers['content-type']?.startsWith('application/json') && text !== '';
  const parsed = (isJson ? JSON.parse(text) : undefined) as WireBody; // not proven: see client.ts
  return { answer: { status, headers, cookies: [], bytes: body, text, body: parsed }, length: bodyEnd };
}

function takeLength(bytes: Buffer, start: number, length: number) {
  const end = start + length;
  return bytes.length < end ? null : { body: bytes.subarray(start, end), end };
}

function takeChunks(bytes: Buffer, start: number) {
  const chunks: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    at = lineEnd + 2 + size + 2;
    if (bytes.length < at) return null;
    if (size === 0) return { body: Buffer.concat(chunks), end: at };
    chunks.push(bytes.subarray(lineEnd + 2, at - 2));
  }
}
