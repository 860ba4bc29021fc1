import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Model } from 'mongoose';
import { unavailable } from '../domain/errors.ts';
import { KeyedQueue } from '../util/keyed-queue.ts';
import type { CommentDocument } from './mongo-schema.ts';

/** In a process the changes of an owner take turns, because each would be tried again for each parallel one. */
const maxWaiting = 100;
const pauseMs = 3;
/** Owners whose last change is remembered. */
const ownersRemembered = 10_000;

/** The last change of an account's comments. */
export interface Head {
  readonly seq: number;
  /** At least the bytes of all texts then; null: nobody knows. */
  readonly total: number | null;
}

/** The order of the changes of an account's comments. */
export class MongoCommentOrder {
  readonly #model: Model<CommentDocument>;
  readonly #timeMs: number;
  readonly #lastSeqs = new LRUCache<string, number>({ max: ownersRemembered });
  readonly #turns = new KeyedQueue(1, maxWaiting);

  /** @param timeMs when a change gives up: no write begins later, so what is refused is not stored */
  constructor(model: Model<CommentDocument>, timeMs: number) {
    this.#model = model;
    this.#timeMs = timeMs;
  }

  /** First from the number that was the highest before: DocumentDB reads and sorts all documents that the filter finds. */
  async readHead(ownerId: string): Promise<Head> {
    const from = this.#lastSeqs.get(ownerId) ?? 0;
    let last = await this.#findLast(ownerId, from);
    if (last === null && from > 0) last = await this.#findLast(ownerId, 0); // that comment was deleted
    if (last === null) {
      this.#lastSeqs.delete(ownerId);
      return { seq: 0, total: 0 };
    }
    this.#lastSeqs.set(ownerId, last.seq);
    return { seq: last.seq, total: last.total ?? null };
  }

  /**
   * Writes after the last change of the account until no other change comes between, in turns.
   * @param write undefined: another change has come between @throws DropError `unavailable`
   */
  async write<T>(ownerId: string, write: (head: Head) => Promise<T | undefined>): Promise<T> {
    const end = performance.now() + this.#timeMs;
    const outcome = await this.#turns.run(ownerId, async () => {
      for (let lost = 0; performance.now() < end; lost++) {
        const written = await write(await this.readHead(ownerId));
        if (written !== undefined) return written;
        await pause(Math.random() * Math.min(lost + 1, 10) * pauseMs);
      }
      return undefined;
    });
    if (outcome !== undefined) return outcome;
    throw unavailable('Too many parallel changes of the comments of this account. Nothing was stored.');
  }

  #findLast(ownerId: string, from: number) {
    return this.#model
      .findOne({ owner_id: ownerId, seq: { $gte: from } }, { seq: 1, total: 1 })
      .sort({ seq: -1 })
      .hint('comments_owner')
      .lean<Pick<CommentDocument, 'seq' | 'total'>>();
  }
}
