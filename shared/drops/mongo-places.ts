import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Connection, Model } from 'mongoose';
import { pickPlace } from '../util/random-picks.ts';
import { type DropDocument, dropModel } from './mongo-schema.ts';

/** While a new cap is rolled out, processes with the old one may still take places above it. */
const capKnownMs = 60_000;
const capsKnownAtMost = 10_000;

/** The numbered places of an owner's live drops below the cap. A unique index decides who gets one. */
export class MongoPlaces {
  readonly #drops: Model<DropDocument>;
  /** By owner: no drop was above this cap. */
  readonly #knownCaps = new LRUCache<string, number>({ max: capsKnownAtMost, ttl: capKnownMs });

  constructor(connection: Connection) {
    this.#drops = dropModel(connection);
  }

  /**
   * A place that may be taken. Once a minute a read finds out whether places above a lowered cap are taken.
   * @returns null: none is free
   */
  async guess(ownerId: string, cap: number): Promise<number | null> {
    if (cap < 1) return null;
    if (this.#knownCaps.get(ownerId) !== cap) {
      if (await this.#isAnyAbove(ownerId, cap)) return this.findFree(ownerId, cap);
      this.#knownCaps.set(ownerId, cap);
    }
    return randomInt(cap);
  }

  /** A place that is free now; null: none is. */
  async findFree(ownerId: string, cap: number): Promise<number | null> {
    if (cap < 1) return null;
    const taken = await this.#drops
      .find({ owner: ownerId, place: { $gte: 0 } }, { _id: 0, place: 1 }) // from the index alone
      .setOptions({ limit: cap, batchSize: cap, hint: 'drops_place' })
      .lean<Required<Pick<DropDocument, 'place'>>[]>();
    const places = taken.map(({ place }) => place);
    return pickPlace(places, cap);
  }

  async #isAnyAbove(ownerId: string, cap: number): Promise<boolean> {
    const above = await this.#drops
      .findOne({ owner: ownerId, place: { $gte: cap } }, { _id: 0, place: 1 })
      .setOptions({ hint: 'drops_place' })
      .lean();
    return above !== null;
  }
}
