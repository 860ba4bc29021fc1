/** Bytes that the service holds for a client: a request body, or an answer that the client has not read. */
export interface Holding {
  grow(bytes: number): void;
  /** From now on it is counted and never cut off, because its memory is in use. */
  keep(): void;
  /** Does nothing after the first call, or after the cut. */
  release(): void;
}

/**
 * Counts the bytes held for each client. When all together pass the limit, the clients that hold most are cut off until
 * the rest fits. A client that holds at most 63/64 of limit / number of clients is never cut off.
 */
export interface HeldBytes {
  /**
   * @param client an account id, or a network (http/client-address.ts)
   * @param held `memory`: set if several holdings share the same bytes. Those bytes count once in the sum of all clients,
   *   and each holding counts an equal part for its client. `cut`: ends the request or answer. The holding is released
   *   already. `hold` may call it before it returns
   */
  hold(client: string, held: { bytes: number; memory?: object | undefined; cut: () => void }): Holding;
}

interface Memory {
  bytes: number;
  holders: number;
}

interface Entry {
  readonly client: string;
  readonly memory: Memory;
  readonly cut: () => void;
  isKept: boolean;
}

/** @param maxBytes the limit; each cut frees a 64th more than needed, so that clients are compared rarely */
export function createHeldBytes(maxBytes: number): HeldBytes {
  const margin = maxBytes / 64;
  const target = maxBytes - margin;
  /** Those that have not grown for the longest time come first. */
  const entries = new Set<Entry>();
  const shared = new WeakMap<object, Memory>();
  let held = 0;
  /**
   * Normally `maxBytes`. If kept memory leaves too much even after all cuts, clients are compared again after
   * `margin` more bytes.
   */
  let shrinkAbove = maxBytes;

  function memoryOf(key: object | undefined, bytes: number): Memory {
    const known = key && shared.get(key);
    if (known !== undefined && known.holders > 0) return known;
    const memory = { bytes, holders: 0 };
    if (key !== undefined) shared.set(key, memory);
    held += bytes;
    return memory;
  }

  function remove(entry: Entry): void {
    if (!entries.delete(entry)) return;
    entry.memory.holders -= 1;
    if (entry.memory.holders > 0) return;
    held -= entry.memory.bytes;
    shrinkAbove = Math.max(maxBytes, Math.min(shrinkAbove, held + margin));
  }

  function shrink(): void {
    const cut: Entry[] = [];
    // Repeated: cutting one client off from shared memory frees nothing and raises the part of each other holder.
    for (let before = -1; held > target && cut.length > before; ) {
      before = cut.length;
      cutToLevel(cut);
    }
    shrinkAbove = Math.max(maxBytes, held + margin);
    for (const entry of cut) entry.cut();
  }

  /** Removes entries of the clients above the level, the largest client first, until the rest fits. */
  function cutToLevel(cut: Entry[]): void {
    const clients = new Map<string, { total: number; own: Entry[] }>();
    for (const entry of entries) {
      const client = clients.get(entry.client) ?? { total: 0, own: [] };
      client.total += partOf(entry);
      if (!entry.isKept) client.own.push(entry);
      clients.set(entry.client, client);
    }
    const largestFirst = [...clients.values()].sort((one, other) => other.total - one.total);
    const level = levelOf(largestFirst, target);
    for (const { total, own } of largestFirst) {
      let left = total;
      for (const entry of own) {
        if (left <= level || held <= target) break;
        left -= partOf(entry);
        remove(entry);
        cut.push(entry);
      }
    }
  }

  return {
    hold(client, { bytes, memory: key, cut }) {
      const memory = memoryOf(key, bytes);
      memory.holders += 1;
      const entry = { client, memory, cut, isKept: false };
      entries.add(entry);
      if (held > shrinkAbove) shrink();
      return {
        grow(more) {
          if (!entries.delete(entry)) return; // it was cut off
          entries.add(entry);
          memory.bytes += more;
          held += more;
          if (held > shrinkAbove) shrink();
        },
        keep() {
          entry.isKept = true;
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
