import { isLate } from '../domain/errors.ts';

/** Calls of a key that come while one runs share its result. */
export class SharedCalls<T> {
  readonly #running = new Map<string, Promise<T>>();

  run(key: string, call: () => Promise<T>): Promise<T> {
    const shared = this.#running.get(key) ?? call().finally(() => this.#running.delete(key));
    this.#running.set(key, shared);
    return shared;
  }
}

interface RunningCall<T> {
  readonly ended: Promise<unknown>;
  next?: Promise<T>;
}

/** One call of a key runs at a time; those made meanwhile share the next. If the database is late they fail together. */
export class SharedNextCalls<T> {
  readonly #running = new Map<string, RunningCall<T>>();

  run(key: string, call: () => Promise<T>): Promise<T> {
    const earlier = this.#running.get(key);
    if (earlier === undefined) return this.#begin(key, call);
    earlier.next ??= earlier.ended.then((error) => {
      if (isLate(error)) throw error;
      return this.#begin(key, call);
    });
    return earlier.next;
  }

  #begin(key: string, call: () => Promise<T>): Promise<T> {
    const result = call();
    const end = (error?: unknown) => {
      if (isLate(error) || this.#running.get(key)?.next === undefined) this.#running.delete(key);
      return error;
    };
    this.#running.set(key, { ended: result.then(() => end(), end) });
    return result;
  }
}
