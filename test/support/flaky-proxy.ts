import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A TCP proxy with the faults of networks. Each fault lasts until `restore`. */
export interface FlakyProxy {
  readonly port: number;

  /** The URL with the proxy's host and port instead of the server's. */
  throughProxy(url: string): string;

  /** Resets all connections, not new ones. */
  reset(): void;

  /** Resets all connections and each new one. */
  refuse(): void;

  /** Closes all connections in order, as a stopping server does, not new ones. */
  hangUp(): void;

  /** Holds back all data, both ways; `restore` delivers it. Connections stay, and new ones are accepted. */
  goSilent(): void;

  /** Loses the server's replies. Connections stay; `restore` resets those that lost some. */
  loseReplies(): void;

  /** The same for all data, both ways. */
  loseAll(): void;

  /** Resets each connection at its first reply: the server has executed the command, and the client does not know. */
  resetReplies(): void;

  /** Delays all data, both ways. */
  delay(ms: number): void;

  /** Ends all faults. */
  restore(): void;

  /** The number of connections so far. */
  connections(): number;

  /** The number of connections that are open now. */
  openConnections(): number;

  close(): Promise<void>;
}

/** @param url of the server, with one host and a port: `redis://…`, `mongodb://…` */
export async function openFlakyProxy(url: string): Promise<FlakyProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const incomplete = new Set<Socket>();
  let isRefusing = false;
  let losing: 'nothing' | 'replies' | 'everything' = 'nothing';
  let isResettingReplies = false;
  let delayMs = 0;
  let connections = 0;
  let gate = createGate();
  gate.open();

  /** Passes on one side's data, in order. */
  function pass(from: Socket, to: Socket, isReply: boolean): void {
    let passing = Promise.resolve();
    const inOrder = (act: () => void) => {
      const arrives = Date.now() + delayMs;
      passing = passing.then(async () => {
        const early = arrives - Date.now();
        if (early > 0) await pause(early);
        await gate.passed;
        act();
      });
    };
    from.on('data', (chunk) => {
      if (isReply && isResettingReplies) {
        for (const socket of [from, to]) socket.resetAndDestroy();
        return;
      }
      if (losing === 'everything' || (isReply && losing === 'replies')) {
        incomplete.add(from).add(to);
        return;
      }
      inOrder(() => to.write(chunk));
    });
    from.on('end', () => inOrder(() => to.end()));
    from.on('close', () => inOrder(() => to.destroy()));
  }

  function track(socket: Socket): Socket {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => {
      sockets.delete(socket);
      incomplete.delete(socket);
    });
    return socket;
  }

  function reset(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  const server = createServer((client) => {
    track(client);
    if (isRefusing) return void client.resetAndDestroy();
    connections += 1;
    const upstream = track(createConnection({ host: target.hostname, port: Number(target.port) }));
    pass(client, upstream, false);
    pass(upstream, client, true);
  });
  const port = await listen(server);

  return {
    port,
    throughProxy(original) {
      const through = new URL(original);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    reset,
    refuse() {
      isRefusing = true;
      reset();
    },
    hangUp() {
      for (const socket of sockets) socket.end();
    },
    goSilent() {
      if (gate.isOpen()) gate = createGate();
    },
    loseReplies() {
      losing = 'replies';
    },
    loseAll() {
      losing = 'everything';
    },
    resetReplies() {
      isResettingReplies = true;
    },
    delay(ms) {
      delayMs = ms;
    },
    restore() {
      isRefusing = false;
      losing = 'nothing';
      isResettingReplies = false;
      delayMs = 0;
      for (const socket of incomplete) socket.resetAndDestroy();
      gate.open();
    },
    connections: () => connections,
    openConnections: () => sockets.size / 2,
    async close() {
      gate.open();
      reset();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createGate() {
  let isOpen = false;
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = () => {
      isOpen = true;
      resolve();
    };
  });
  return { passed, open: () => open(), isOpen: () => isOpen };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('No port'));
      else resolve(address.port);
    });
  });
}
