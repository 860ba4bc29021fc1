/** Memory that a client takes by a request body, or by an answer that it has not read. */
export interface Reservation {
  grow(bytes: number): void;
  /** It is never evicted from now on, because its memory is in use. */
  pin(): void;
  /** Does nothing after the first call, or after the eviction. */
  release(): void;
}

/**
 * Above the limit the largest clients' reservations are evicted: unfinished bodies of one client must not fill the memory.
 */
export interface MemoryBudget {
  /**
   * @param client an account id, or a network (http/client-address.ts)
   * @param what `memory`: the bytes that several reservations share: they count once, in equal parts for their clients.
   *   `evict` aborts the request or answer of the reservation, which is released already; perhaps before `reserve` returns
   */
  reserve(
    client: string,
    what: { bytes: number; memory?: object | undefined; evict: () => void },
  ): Reservation;
}

interface Memory {
  bytes: number;
  holders: number;
}

interface Entry {
  readonly client: string;
  readonly memory: Memory;
  readonly evict: () => void;
  isPinned: boolean;
}

/** @param maxBytes the limit; each eviction frees a 64th more than needed, so that clients are compared rarely */
export function createMemoryBudget(maxBytes: number): MemoryBudget {
  const margin = maxBytes / 64;
  const target = maxBytes - margin;
  /** Those that have not grown for the longest time come first. */
  const entries = new Set<Entry>();
  const shared = new WeakMap<object, Memory>();
  let reserved = 0;
  /** More than `maxBytes` if pinned memory leaves too much: clients are compared again after `margin` more bytes. */
  let shrinkAbove = maxBytes;

  function memoryOf(key: object | undefined, bytes: number): Memory {
    const known = key && shared.get(key);
    if (known !== undefined && known.holders > 0) return known;
    const memory = { bytes, holders: 0 };
    if (key !== undefined) shared.set(key, memory);
    reserved += bytes;
    return memory;
  }

  function remove(entry: Entry): void {
    if (!entries.delete(entry)) return;
    entry.memory.holders -= 1;
    if (entry.memory.holders > 0) return;
    reserved -= entry.memory.bytes;
    shrinkAbove = Math.max(maxBytes, Math.min(shrinkAbove, reserved + margin));
  }

  function shrink(): void {
    const evicted: Entry[] = [];
    // Repeated: evicting one client from shared memory frees nothing and raises the part of each other holder.
    for (let before = -1; reserved > target && evicted.length > before; ) {
      before = evicted.length;
      evictToLevel(evicted);
    }
    shrinkAbove = Math.max(maxBytes, reserved + margin);
    for (const entry of evicted) entry.evict();
  }

  /** Removes entries of the clients above the level, the largest client first, until the rest fits. */
  function evictToLevel(evicted: Entry[]): void {
    const clients = new Map<string, { total: number; own: Entry[] }>();
    for (const entry of entries) {
      const client = clients.get(entry.client) ?? { total: 0, own: [] };
      client.total += partOf(entry);
      if (!entry.isPinned) client.own.push(entry);
      clients.set(entry.client, client);
    }
    const largestFirst = [...clients.values()].sort((one, other) => other.total - one.total);
    const level = levelOf(largestFirst, target);
    for (const { total, own } of largestFirst) {
      let left = total;
      for (const entry of own) {
        if (left <= level || reserved <= target) break;
        left -= partOf(entry);
        remove(entry);
        evicted.push(entry);
      }
    }
  }

  return {
    reserve(client, { bytes, memory: key, evict }) {
      const memory = memoryOf(key, bytes);
      memory.holders += 1;
      const entry = { client, memory, evict, isPinned: false };
      entries.add(entry);
      if (reserved > shrinkAbove) shrink();
      return {
        grow(more) {
          if (!entries.delete(entry)) return; // it was evicted
          entries.add(entry);
          memory.bytes += more;
          reserved += more;
          if (reserved > shrinkAbove) shrink();
        },
        pin() {
          entry.isPinned = true;
        },
        release: () => remove(entry),
      };
    },
  };
}

function partOf({ memory }: Entry): number {
  return memory.bytes / memory.holders;
}

/** The level for which the sum of min(total, level) over all clients is `target`. */
function levelOf(largestFirst: readonly { readonly total: number }[], target: number): number {
  let rest = target;
  for (const [index, { total }] of [...largestFirst].reverse().entries()) {
    const level = rest / (largestFirst.length - index);
    if (level <= total) return level;
    rest -= total;
  }
  return Number.POSITIVE_INFINITY;
}
