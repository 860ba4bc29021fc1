import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Stands between a client and a server and does what networks do. Each fault lasts until `restore`. */
export interface FlakyProxy {
  readonly port: number;

  /** The address of the server with the proxy's host and port in the place of its own. */
  throughProxy(url: string): string;

  /** Ends all connections with a reset. New ones fare as before. */
  reset(): void;

  /** The server is away: ends all connections, and each new one at once. */
  refuse(): void;

  /** Ends all connections in order, as a server that is stopped does. New ones fare as before. */
  hangUp(): void;

  /** Nothing passes any more, either way; connections stay and new ones are accepted. `restore` delivers what waited. */
  goSilent(): void;

  /** What clients send arrives; what the server answers is lost. `restore` resets the connections that missed some. */
  loseReplies(): void;

  /** What is sent, either way, arrives that much later. */
  delay(ms: number): void;

  /** All is well again for what is sent from now on. */
  restore(): void;

  /** How many connections were made through it. */
  connections(): number;

  close(): Promise<void>;
}

/** @param url the server's: `redis://…`, `mongodb://…`, of one host with a port */
export async function openFlakyProxy(url: string): Promise<FlakyProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const incomplete = new Set<Socket>();
  let isRefusing = false;
  let isLosingReplies = false;
  let delayMs = 0;
  let connections = 0;
  let gate = createGate();
  gate.open();

  /** Passes on what comes from one side, in order, through the faults of the time. */
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
      if (isReply && isLosingReplies) return void incomplete.add(to);
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
      isLosingReplies = true;
    },
    delay(ms) {
      delayMs = ms;
    },
    restore() {
      isRefusing = false;
      isLosingReplies = false;
      delayMs = 0;
      for (const socket of incomplete) socket.resetAndDestroy();
      gate.open();
    },
    connections: () => connections,
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
