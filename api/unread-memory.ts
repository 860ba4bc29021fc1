/** What is held for answers that wait for their clients, and whose it is. `A` is an answer. */
export interface UnreadMemory<A> {
  /**
   * @param of whose answer it is, and what holds it: several answers of the same `memory` hold its `bytes` together
   */
  add(answer: A, of: { client: string; memory: object; bytes: number }): void;
  /** Does nothing for an answer that is not there (any more). */
  remove(answer: A): void;
  /**
   * Removes answers until at most so many bytes are held. What several clients wait for counts for each of them by its
   * part, so that all parts are what is held, and whoever has the most has more than an equal share of `maxBytes`. Of
   * that client, what the fewest answers wait for goes first: the sooner it frees something; of as many, the oldest.
   * Costs at most a look at all that is held, for each client that is cut and each page that clients share.
   * @returns the answers to cut off
   */
  shrinkTo(maxBytes: number): A[];
}

interface Memory<A> {
  readonly key: object;
  readonly bytes: number;
  /** The answers of each client that waits for it. */
  readonly waiting: Map<string, Set<A>>;
  answers: number;
}

export function createUnreadMemory<A>(): UnreadMemory<A> {
  const known = new Map<object, Memory<A>>();
  const placeOf = new Map<A, { readonly client: string; readonly memory: Memory<A> }>();
  /** What each client waits for, the oldest first. */
  const clients = new Map<string, Set<Memory<A>>>();
  let held = 0;

  function hold(key: object, bytes: number): Memory<A> {
    const shared = known.get(key);
    if (shared !== undefined) return shared;
    const memory: Memory<A> = { key, bytes, waiting: new Map(), answers: 0 };
    known.set(key, memory);
    held += bytes;
    return memory;
  }

  /** @returns the bytes that this frees: none while others wait for them too */
  function letGo(client: string, memory: Memory<A>): number {
    memory.waiting.delete(client);
    const others = clients.get(client);
    others?.delete(memory);
    if (others?.size === 0) clients.delete(client);
    if (memory.waiting.size > 0) return 0;
    known.delete(memory.key);
    held -= memory.bytes;
    return memory.bytes;
  }

  function cut(client: string, memory: Memory<A>, into: A[]): number {
    for (const answer of memory.waiting.get(client) ?? []) {
      placeOf.delete(answer);
      memory.answers -= 1;
      into.push(answer);
    }
    return letGo(client, memory);
  }

  /** Who holds the most, how much that is, and how much whoever comes next holds. */
  function rank(): { client: string; bytes: number; next: number } {
    let most = { client: '', bytes: 0, next: 0 };
    for (const [client, memories] of clients) {
      let bytes = 0;
      for (const memory of memories) bytes += memory.bytes / memory.waiting.size;
      if (bytes > most.bytes) most = { client, bytes, next: most.bytes };
      else most.next = Math.max(most.next, bytes);
    }
    return most;
  }

  function firstToGo(client: string): Memory<A> | null {
    let first: Memory<A> | null = null;
    for (const memory of clients.get(client) ?? []) {
      if (memory.answers === 1) return memory;
      if (first === null || memory.answers < first.answers) first = memory;
    }
    return first;
  }

  return {
    add(answer, { client, memory: key, bytes }) {
      const memory = hold(key, bytes);
      const memories = clients.get(client) ?? new Set();
      const answers = memory.waiting.get(client) ?? new Set();
      clients.set(client, memories.add(memory));
      memory.waiting.set(client, answers.add(answer));
      memory.answers += 1;
      placeOf.set(answer, { client, memory });
    },

    remove(answer) {
      const place = placeOf.get(answer);
      if (place === undefined) return;
      const { client, memory } = place;
      placeOf.delete(answer);
      memory.answers -= 1;
      const answers = memory.waiting.get(client);
      answers?.delete(answer);
      if (answers?.size === 0) letGo(client, memory);
    },

    shrinkTo(maxBytes) {
      const gone: A[] = [];
      while (held > maxBytes) {
        const { client, bytes, next } = rank();
        let left = bytes;
        let freed: number;
        do {
          const memory = firstToGo(client);
          if (memory === null) return gone; // never: whoever holds something waits for something
          freed = cut(client, memory, gone);
          left -= freed;
          // What was shared has become a larger part of others': all are looked at anew.
        } while (freed > 0 && held > maxBytes && left > next);
      }
      return gone;
    },
  };
}
