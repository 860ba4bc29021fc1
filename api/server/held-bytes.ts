/** Bytes that the service holds for a client: a request body, or an answer that the client has not read. */
export interface Holding {
  /** So many bytes more have arrived. */
  grow(bytes: number): void;
  /** It still counts, and is no longer cut off: ending it would free nothing. */
  settle(): void;
  /** Its bytes are free. Does nothing where it was released or cut off before. */
  release(): void;
}

/**
 * Counts the bytes that are held for each client. When all together pass the limit, the clients that hold most are cut
 * off until all fit. A client that holds no more than an equal share of the limit is never cut off.
 */
export interface HeldBytes {
  /**
   * @param client an account, or a network (middleware/address.ts)
   * @param of `memory`: holdings of the same memory hold its `bytes` together, and each counts for an equal part;
   *   `cut` ends the holding, which has been released by then; it may be called before `hold` returns
   */
  hold(client: string, of: { bytes: number; memory?: object | undefined; cut: () => void }): Holding;
}

interface Memory {
  readonly key: object | undefined;
  bytes: number;
  readonly entries: Set<Entry>;
}

interface Entry {
  readonly client: Client;
  readonly memory: Memory;
  readonly cut: () => void;
}

interface Client {
  readonly name: string;
  /** What can be cut off. What has moved least recently comes first. */
  readonly open: Set<Entry>;
  readonly settled: Set<Entry>;
}

/** @param maxBytes the limit; passing it frees a 64th more than the excess, so that clients are ranked rarely */
export function createHeldBytes(maxBytes: number): HeldBytes {
  const margin = maxBytes / 64;
  const target = maxBytes - margin;
  const clients = new Map<string, Client>();
  const shared = new Map<object, Memory>();
  let held = 0;
  /** Above the limit while what cannot be cut off holds that much: clients are ranked again after `margin` more. */
  let shrinkAbove = maxBytes;

  function clientOf(name: string): Client {
    const client = clients.get(name) ?? { name, open: new Set(), settled: new Set() };
    clients.set(name, client);
    return client;
  }

  function memoryOf(key: object | undefined, bytes: number): Memory {
    const known = key && shared.get(key);
    if (known !== undefined) return known;
    const memory = { key, bytes, entries: new Set<Entry>() };
    if (key !== undefined) shared.set(key, memory);
    held += bytes;
    return memory;
  }

  function remove(entry: Entry): void {
    const { client, memory } = entry;
    client.open.delete(entry);
    client.settled.delete(entry);
    if (client.open.size + client.settled.size === 0) clients.delete(client.name);
    memory.entries.delete(entry);
    if (memory.entries.size > 0) return;
    if (memory.key !== undefined) shared.delete(memory.key);
    held -= memory.bytes;
    shrinkAbove = Math.max(maxBytes, Math.min(shrinkAbove, held + margin));
  }

  /** Repeated while what is shared has been cut off for some clients and is still held for others. */
  function shrink(): void {
    const gone: Entry[] = [];
    for (let before = -1; held > target && gone.length > before; ) {
      before = gone.length;
      cutToLevel(gone);
    }
    shrinkAbove = Math.max(maxBytes, held + margin);
    for (const { cut } of gone) cut();
  }

  /** Takes from the clients above the level, the largest first, until all fit or none is above it. */
  function cutToLevel(gone: Entry[]): void {
    const ranks = [...clients.values()].map((client) => ({ client, total: totalOf(client) }));
    const level = levelOf(
      ranks.map(({ total }) => total),
      target,
    );
    const above = ranks.filter(({ total }) => total > level);
    for (const { client, total } of above.sort((one, other) => other.total - one.total)) {
      let left = total;
      // What the fewest share frees something soonest; of as many, what has moved least recently goes first.
      const open = [...client.open].sort((one, other) => one.memory.entries.size - other.memory.entries.size);
      for (const entry of open) {
        if (left <= level || held <= target) break;
        left -= partOf(entry);
        remove(entry);
        gone.push(entry);
      }
    }
  }

  return {
    hold(name, { bytes, memory: key, cut }) {
      const client = clientOf(name);
      const memory = memoryOf(key, bytes);
      const entry = { client, memory, cut };
      client.open.add(entry);
      memory.entries.add(entry);
      if (held > shrinkAbove) shrink();
      return {
        grow(more) {
          if (!client.open.delete(entry)) return; // it was cut off
          client.open.add(entry);
          memory.bytes += more;
          held += more;
          if (held > shrinkAbove) shrink();
        },
        settle() {
          if (client.open.delete(entry)) client.settled.add(entry);
        },
        release() {
          if (memory.entries.has(entry)) remove(entry);
        },
      };
    },
  };
}

function partOf({ memory }: Entry): number {
  return memory.bytes / memory.entries.size;
}

function totalOf({ open, settled }: Client): number {
  let total = 0;
  for (const entry of open) total += partOf(entry);
  for (const entry of settled) total += partOf(entry);
  return total;
}

/** The level for which the sum of min(total, level) is `target`, which is less than the sum of the totals. */
function levelOf(totals: readonly number[], target: number): number {
  const sorted = Float64Array.from(totals).sort();
  let rest = target;
  for (const [index, total] of sorted.entries()) {
    const level = rest / (sorted.length - index);
    if (level <= total) return level;
    rest -= total;
  }
  return Number.POSITIVE_INFINITY;
}
