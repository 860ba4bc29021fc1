/** Memory that a client takes by a request body, or by an answer that it has not read. */
export interface MemoryReservation {
  grow(bytes: number): void;
  /** It is never evicted from now on, because its memory is in use. */
  pin(): void;
  /** Does nothing after the first call, or after the eviction. */
  release(): void;
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

/** Above the limit the largest clients' reservations are evicted: unfinished bodies of one client must not fill the memory. */
export class MemoryBudget {
  readonly #maxBytes: number;
  /** Each eviction frees a 64th more than needed, so that clients are compared rarely. */
  readonly #margin: number;
  readonly #target: number;
  /** Those that have not grown for the longest time come first. */
  readonly #entries = new Set<Entry>();
  readonly #shared = new WeakMap<object, Memory>();
  #reserved = 0;
  /** More than `maxBytes` if pinned memory leaves too much: clients are compared again after `margin` more bytes. */
  #shrinkAbove: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#margin = maxBytes / 64;
    this.#target = maxBytes - this.#margin;
    this.#shrinkAbove = maxBytes;
  }

  /**
   * @param client an account id, or a network (http/client-address.ts)
   * @param what `memory`: the bytes that several reservations share: they count once, in equal parts for their clients.
   *   `evict` aborts the request or answer of the reservation, which is released already; perhaps before `reserve` returns
   */
  reserve(
    client: string,
    what: { bytes: number; memory?: object | undefined; evict: () => void },
  ): MemoryReservation {
    const memory = this.#memoryOf(what.memory, what.bytes);
    memory.holders += 1;
    const entry: Entry = { client, memory, evict: what.evict, isPinned: false };
    this.#entries.add(entry);
    this.#shrinkIfNeeded();
    return {
      grow: (bytes) => this.#grow(entry, bytes),
      pin() {
        entry.isPinned = true;
      },
      release: () => this.#remove(entry),
    };
  }

  #memoryOf(key: object | undefined, bytes: number): Memory {
    const known = key && this.#shared.get(key);
    if (known !== undefined && known.holders > 0) return known;
    const memory = { bytes, holders: 0 };
    if (key !== undefined) this.#shared.set(key, memory);
    this.#reserved += bytes;
    return memory;
  }

  #grow(entry: Entry, bytes: number): void {
    if (!this.#entries.delete(entry)) return; // it was evicted
    this.#entries.add(entry);
    entry.memory.bytes += bytes;
    this.#reserved += bytes;
    this.#shrinkIfNeeded();
  }

  #remove(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    entry.memory.holders -= 1;
    if (entry.memory.holders > 0) return;
    this.#reserved -= entry.memory.bytes;
    this.#shrinkAbove = Math.max(this.#maxBytes, Math.min(this.#shrinkAbove, this.#reserved + this.#margin));
  }

  #shrinkIfNeeded(): void {
    if (this.#reserved <= this.#shrinkAbove) return;
    const evicted: Entry[] = [];
    // Repeated: evicting one client from shared memory frees nothing and raises the part of each other holder.
    for (let before = -1; this.#reserved > this.#target && evicted.length > before; ) {
      before = evicted.length;
      this.#evictToLevel(evicted);
    }
    this.#shrinkAbove = Math.max(this.#maxBytes, this.#reserved + this.#margin);
    for (const entry of evicted) entry.evict();
  }

  /** Removes entries of the clients above the level, the largest client first, until the rest fits. */
  #evictToLevel(evicted: Entry[]): void {
    const largestFirst = largestClients(this.#entries);
    const level = levelOf(largestFirst, this.#target);
    for (const { total, evictable } of largestFirst) {
      let left = total;
      for (const entry of evictable) {
        if (left <= level || this.#reserved <= this.#target) break;
        left -= partOf(entry);
        this.#remove(entry);
        evicted.push(entry);
      }
    }
  }
}

/** What each client has reserved, and its entries that are not pinned, the largest client first. */
function largestClients(entries: Iterable<Entry>): readonly { total: number; evictable: Entry[] }[] {
  const clients = new Map<string, { total: number; evictable: Entry[] }>();
  for (const entry of entries) {
    const client = clients.get(entry.client) ?? { total: 0, evictable: [] };
    client.total += partOf(entry);
    if (!entry.isPinned) client.evictable.push(entry);
    clients.set(entry.client, client);
  }
  return [...clients.values()].sort((one, other) => other.total - one.total);
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
