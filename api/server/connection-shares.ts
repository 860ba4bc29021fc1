import type { Socket } from 'node:net';
import { networkKey } from '../http/client-address.ts';

/** A connection that moves fewer bytes a second while it waits for its client is slow. */
const minBytesPerSecond = 1_024;
/** The time over which the rate is measured. */
const measuredMs = 2_000;
/** How often the slow connections of a network are looked for: there may be thousands. */
const lookMs = 1_000;
/** How many networks of one size are asked for an idle connection. */
const maxLooks = 1_000;

/** A connection as the shares see it. */
interface Member {
  readonly network: Network;
  /** Of the socket, when its request began. */
  atStart: number;
  /** The bytes of the last measurement, and its time. */
  measured: { bytes: number; at: number };
}

interface Network {
  readonly key: string;
  /** Without a request, the one that is idle for the longest time first. */
  readonly idle: Set<Socket>;
  /** With a request or its answer under way, the oldest request first. */
  readonly used: Set<Socket>;
  /** Those of `used` that were slow at the last look. */
  slow: Socket[];
  lookedAt: number;
}

/**
 * Shares the places for connections between networks, as http/memory-budget.ts shares memory: above the limit the network that has
 * the most gives one back. What makes progress is kept: idle connections go first, those of the new one's network and of one that had
 * more before it included, then slow ones. Only a network that has more than the new one's gives a connection that makes progress.
 */
export class ConnectionShares {
  readonly #members = new Map<Socket, Member>();
  readonly #networks = new Map<string, Network>();
  /** By their number of connections. */
  readonly #bySize: Set<Network>[] = [];
  readonly #waitsForClient: (socket: Socket) => boolean;

  /** @param waitsForClient whether a connection that is used waits for its client: otherwise it is never to be ended */
  constructor(waitsForClient: (socket: Socket) => boolean) {
    this.#waitsForClient = waitsForClient;
  }

  /** An idle connection. */
  add(socket: Socket): void {
    const key = networkKey(socket.remoteAddress);
    const network = this.#networks.get(key) ?? makeNetwork(key);
    this.#networks.set(key, network);
    this.#members.set(socket, { network, atStart: 0, measured: { bytes: 0, at: 0 } });
    this.#resize(network, () => network.idle.add(socket));
    socket.once('close', () => this.#remove(socket));
  }

  /** A request began. */
  use(socket: Socket): void {
    const member = this.#members.get(socket);
    if (member === undefined) return;
    const { idle, used } = member.network;
    idle.delete(socket);
    used.delete(socket);
    used.add(socket);
    member.atStart = bytesOf(socket);
    member.measured = { bytes: member.atStart, at: performance.now() };
  }

  /** The last request was answered. */
  rest(socket: Socket): void {
    const network = this.#members.get(socket)?.network;
    if (network?.used.delete(socket)) network.idle.add(socket);
  }

  /** Takes out the connection to end for a new one, which was added last: perhaps the new one itself. */
  take(added: Socket): Socket {
    const taken = this.#pick(added);
    this.#remove(taken);
    return taken;
  }

  #pick(added: Socket): Socket {
    const own = this.#members.get(added)?.network;
    const [largest] = this.#bySize.at(-1) ?? [];
    if (own === undefined || largest === undefined) return added;
    const isAbove = sizeOf(largest) > sizeOf(own);
    for (const network of isAbove ? [largest, own] : [own]) {
      const [idle] = network.idle;
      if (idle !== undefined && idle !== added) return idle;
      const slow = this.#nextSlow(network);
      if (slow !== undefined) return slow;
    }
    if (!isAbove) return this.#idleBeside(own) ?? added;
    for (const socket of largest.used) if (this.#waitsForClient(socket)) return socket;
    return added;
  }

  /**
   * An idle connection of a network that had more than this one before its new connection: otherwise as many networks as there
   * are places would keep all others out.
   */
  #idleBeside(own: Network): Socket | undefined {
    let looks = 0;
    for (const network of this.#bySize[sizeOf(own)] ?? []) {
      if (++looks > maxLooks) return undefined;
      const [idle] = network === own ? [] : network.idle;
      if (idle !== undefined) return idle;
    }
    return undefined;
  }

  #nextSlow(network: Network): Socket | undefined {
    const now = performance.now();
    if (now - network.lookedAt >= lookMs) {
      network.lookedAt = now;
      network.slow = [...network.used].filter((socket) => this.#isSlow(socket, now)).reverse();
    }
    for (let next = network.slow.pop(); next !== undefined; next = network.slow.pop()) {
      const began = this.#members.get(next)?.measured.at ?? now;
      const isSame = network.used.has(next) && began <= network.lookedAt;
      if (isSame && this.#waitsForClient(next)) return next;
    }
    return undefined;
  }

  #isSlow(socket: Socket, now: number): boolean {
    const member = this.#members.get(socket);
    if (member === undefined || !this.#waitsForClient(socket)) return false;
    const bytes = bytesOf(socket);
    if (bytes === member.atStart) return true;
    const { bytes: before, at } = member.measured;
    if (now - at < measuredMs) return false;
    member.measured = { bytes, at: now };
    const moved = bytes - before; // below 0: the next part of an answer was given to the system
    return moved >= 0 && moved < (minBytesPerSecond * (now - at)) / 1_000;
  }

  #remove(socket: Socket): void {
    const network = this.#members.get(socket)?.network;
    if (network === undefined) return;
    this.#members.delete(socket);
    this.#resize(network, () => {
      network.idle.delete(socket);
      network.used.delete(socket);
    });
  }

  /** @param change adds or removes a connection */
  #resize(network: Network, change: () => void): void {
    this.#bySize[sizeOf(network)]?.delete(network);
    change();
    const size = sizeOf(network);
    if (size === 0) this.#networks.delete(network.key);
    else this.#bySize[size] = (this.#bySize[size] ?? new Set()).add(network);
    while (this.#bySize.at(-1)?.size === 0) this.#bySize.pop();
  }
}

function makeNetwork(key: string): Network {
  return { key, idle: new Set(), used: new Set(), slow: [], lookedAt: 0 };
}

function sizeOf({ idle, used }: Network): number {
  return idle.size + used.size;
}

/** What the client has sent, and what the system has taken of answers: it counts a large one only as a whole elsewhere. */
function bytesOf(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }; // not documented: it may be absent
  return socket.bytesRead + socket.bytesWritten - (handle?.writeQueueSize ?? socket.writableLength);
}
