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
 * Counts the bytes that are held for each client. When all together pass the limit, the client that holds most is cut
 * off, beginning with what has moved least recently, until they fit. A client that holds no more than an equal share
 * of the limit is never cut off.
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
  /** The number of entries by which its bytes were divided for the totals of clients. */
  parts: number;
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
  /** Bytes that it holds; current only while clients are ranked. */
  total: number;
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
    const client = clients.get(name) ?? { name, open: new Set(), settled: new Set(), total: 0 };
    clients.set(name, client);
    return client;
  }

  function memoryOf(key: object | undefined, bytes: number): Memory {
    const known = key && shared.get(key);
    if (known !== undefined) return known;
    const memory = { key, bytes, entries: new Set<Entry>(), parts: 1 };
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

  function shrink(): void {
    const gone: Entry[] = [];
    const ranking = createRanking(clients.values());
    while (held > target) {
      const client = ranking.next();
      if (client === null || client.total <= target / clients.size) break;
      const [entry] = client.open;
      if (entry === undefined) continue;
      remove(entry);
      ranking.subtract(entry);
      gone.push(entry);
    }
    shrinkAbove = Math.max(maxBytes, held + margin);
    for (const { cut } of gone) cut();
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

/**
 * Clients by what they hold. Costs O(n log n) for all clients, holdings and cuts together: the parts of a memory are
 * reckoned again each time half of its holdings are gone, so they may be up to half too small in between.
 */
function createRanking(clients: Iterable<Client>) {
  const ranks: { readonly client: Client; readonly total: number }[] = [];
  for (const client of clients) {
    client.total = 0;
    for (const entries of [client.open, client.settled]) {
      for (const { memory } of entries) {
        memory.parts = memory.entries.size;
        client.total += memory.bytes / memory.parts;
      }
    }
    ranks.push({ client, total: client.total });
  }
  // The largest is last; of equals, the one that was there first.
  ranks.reverse().sort((one, other) => one.total - other.total);

  function insert(client: Client): void {
    const { total } = client;
    let low = 0;
    for (let high = ranks.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((ranks[middle]?.total ?? 0) < total) low = middle + 1;
      else high = middle;
    }
    ranks.splice(low, 0, { client, total });
  }

  return {
    /** Takes out the client that holds most; null: there is none left. */
    next(): Client | null {
      for (;;) {
        const rank = ranks.pop();
        if (rank === undefined) return null;
        if (rank.total === rank.client.total) return rank.client; // else it was ranked anew
      }
    },

    /** Puts back the client that `next` gave, without this entry, which has been removed. */
    subtract({ client, memory }: Entry): void {
      client.total -= memory.bytes / memory.parts;
      const changed = new Set([client]);
      const left = memory.entries.size;
      if (left > 0 && left <= memory.parts / 2) {
        const more = memory.bytes / left - memory.bytes / memory.parts;
        for (const other of memory.entries) {
          other.client.total += more;
          changed.add(other.client);
        }
        memory.parts = left;
      }
      for (const each of changed) insert(each);
    },
  };
}
