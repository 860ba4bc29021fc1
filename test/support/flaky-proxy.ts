import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** A TCP proxy with the faults of networks. Each fault lasts until `restore`. */
export interface FlakyProxy extends Pick<TcpProxy, 'port' | 'throughProxy' | 'close'> {
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
  loseAll(): void;
  /** Resets each connection at its first reply: the server has executed the command, and the client does not know. */
  resetReplies(): void;
  delay(ms: number): void;
  restore(): void;
  connections(): number;
  /** How many were refused. */
  refusals(): number;
  openConnections(): number;
}

/** @param url of the server, with one host and a port: `redis://…`, `mongodb://…` */
export async function openFlakyProxy(url: string): Promise<FlakyProxy> {
  const incomplete = new Set<Socket>();
  let isRefusing = false;
  let losing: 'nothing' | 'replies' | 'everything' = 'nothing';
  let isResettingReplies = false;
  let delayMs = 0;
  let connections = 0;
  let refusals = 0;
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

  const tcp = await openTcpProxy(url, (client, connect) => {
    if (isRefusing) {
      refusals += 1;
      client.resetAndDestroy();
      return;
    }
    connections += 1;
    const upstream = connect();
    for (const socket of [client, upstream]) socket.on('close', () => incomplete.delete(socket));
    pass(client, upstream, false);
    pass(upstream, client, true);
  });

  function reset(): void {
    for (const socket of tcp.sockets) socket.resetAndDestroy();
  }

  return {
    port: tcp.port,
    throughProxy: tcp.throughProxy,
    reset,
    refuse() {
      isRefusing = true;
      reset();
    },
    hangUp() {
      for (const socket of tcp.sockets) socket.end();
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
    refusals: () => refusals,
    openConnections: () => tcp.sockets.size / 2,
    async close() {
      gate.open();
      reset();
      await tcp.close();
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
