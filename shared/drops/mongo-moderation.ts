import type { Connection, Model } from 'mongoose';
import type { Clock } from '../domain/clock.ts';
import type { Takedown } from '../moderation/act.ts';
import type { ModerationStore } from '../moderation/moderation-store.ts';
import type { Drop, PendingTask } from './drop.ts';
import {
  type DropDocument,
  type DropRow,
  dropModel,
  dropProjection,
  type Filter,
  liveDropAt,
  toDropOrNull,
} from './mongo-schema.ts';
import { change, literal, visibleChange } from './mongo-updates.ts';

/** What moderators find and change of drops of every account, in MongoDB. */
export class MongoModeration implements ModerationStore {
  readonly #drops: Model<DropDocument>;
  readonly #clock: Clock;

  constructor(connection: Connection, clock: Clock) {
    this.#drops = dropModel(connection);
    this.#clock = clock;
  }

  async findDrop(slug: string): Promise<Drop | null> {
    return toDropOrNull(await this.#drops.findOne(this.#liveAt(slug), dropProjection).lean<DropRow>());
  }

  async takeDown(
    slug: string,
    { at, reason }: Takedown,
    tasks: readonly PendingTask[],
  ): Promise<Drop | null> {
    const takedown = {
      taken_down_at: { $ifNull: ['$taken_down_at', at] },
      takedown_reason: literal(reason),
    };
    return toDropOrNull(await change(this.#drops, this.#liveAt(slug), visibleChange(takedown, at, tasks)));
  }

  async restore(slug: string, now: number, tasks: readonly PendingTask[]): Promise<Drop | null> {
    const takenDown = this.#liveAt(slug, { taken_down_at: null }); // matches an absent field too
    const update = visibleChange({ taken_down_at: null, takedown_reason: null }, now, tasks);
    return toDropOrNull(await change(this.#drops, takenDown, update)) ?? this.findDrop(slug);
  }

  #liveAt(slug: string, ...unless: readonly Filter[]): Filter {
    return liveDropAt(slug, this.#clock.now(), ...unless);
  }
}
