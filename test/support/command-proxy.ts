import { createConnection, createServer, type Socket } from 'node:net';

/**
 * What becomes of a command: it passes; it never arrives; or it arrives, and its answer is lost. The connection of
 * one that does not pass is silent from then on.
 */
export type Verdict = 'pass' | 'hold' | 'hold the answer';

/** Decides on each command, as its bytes are on the wire. */
export type Judge = (command: Buffer) => Verdict;

/** Stands between a client and MongoDB or Redis, and knows where each command begins. */
export interface CommandProxy {
  /** The address of the server with the proxy's host and port in the place of its own. */
  throughProxy(url: string): string;
  /** From now on this one decides. At first all pass. */
  judgeBy(judge: Judge): void;
  close(): Promise<void>;
}

/** @param url the server's: `redis://…`, `mongodb://…`, of one host with a port */
export async function openCommandProxy(url: string): Promise<CommandProxy> {
  const target = new URL(url);
  const lengthOf = target.protocol.startsWith('redis') ? lengthOfRedisCommand : lengthOfMongoMessage;
  const sockets = new Set<Socket>();
  let judge: Judge = () => 'pass';

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => sockets.delete(socket));
    return socket;
  }

  function carry(client: Socket, upstream: Socket): void {
    let unread = Buffer.alloc(0);
    let isHeld = false;
    let isAnswerHeld = false;
    client.on('data', (chunk) => {
      unread = Buffer.concat([unread, chunk]);
      for (;;) {
        const length = isHeld ? null : lengthOf(unread);
        if (length === null) return;
        const command = unread.subarray(0, length);
        unread = unread.subarray(length);
        const verdict = judge(command);
        isAnswerHeld ||= verdict === 'hold the answer';
        isHeld = verdict !== 'pass';
        if (verdict !== 'hold') upstream.write(command);
      }
    });
    upstream.on('data', (chunk) => {
      if (!isAnswerHeld) client.write(chunk);
    });
    client.on('close', () => upstream.end()); // what was sent before arrives
    upstream.on('close', () => client.destroy());
  }

  const server = createServer((client) => {
    track(client);
    carry(client, track(createConnection({ host: target.hostname, port: Number(target.port) })));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const { port } = address;

  return {
    throughProxy(original) {
      const through = new URL(original);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    judgeBy(next) {
      judge = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/. null: it has not all come yet. */
function lengthOfMongoMessage(bytes: Buffer): number | null {
  const length = bytes.length < 4 ? null : bytes.readInt32LE(0);
  return length === null || length > bytes.length ? null : length;
}

/** https://redis.io/docs/latest/develop/reference/protocol-spec/: an array of bulk strings. */
function lengthOfRedisCommand(bytes: Buffer): number | null {
  let at = 0;
  const readCount = () => {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return null;
    const count = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return count;
  };
  const parts = readCount();
  if (parts === null) return null;
  for (let part = 0; part < parts; part++) {
    const size = readCount();
    if (size === null) return null;
    at += size + 2;
  }
  return at > bytes.length ? null : at;
}

const headerLength = 16;
const opMsg = 2_013;

/** `find`, `update`, …; null for what the driver says for itself, such as its greetings. */
export function mongoCommandName(message: Buffer): string | null {
  if (message.readInt32LE(12) !== opMsg) return null;
  const nameAt = headerLength + 4 + 1 + 4 + 1; // flags, kind of section, length of the document, type of its first field
  const name = message.toString('utf8', nameAt, message.indexOf(0, nameAt));
  return ['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'].includes(name) ? null : name;
}
