import { randomUUID } from 'node:crypto';
import { unavailable } from '../../domain/errors.ts';
import type { ViewCount, ViewCounter } from '../../ports/view-counter.ts';
import type { Redis } from './connection.ts';
import { toDropError, wasNotSent } from './errors.ts';
import { createScript } from './script.ts';
import { addLua, closeLua, epochLua, forgetLua, openLua } from './view-scripts.ts';

/** How many counts one script adds: a few milliseconds in which Redis serves nobody else. */
const countsPerScript = 2_000;

/** From how many counts on a batch grows no more, so that a line that nobody fetched for hours is read piece by piece. */
const countsPerBatch = 10_000;

/** Larger than the number of scripts that any flush is cut into. */
const placesPerFlush = 1_000_000;

/**
 * Counted views in Redis, shared by all processes. A flush is added by scripts of 2,000 counts; each has a place of
 * its own in the order of the writer's additions, and Redis remembers the last one, so a repeated flush adds only
 * what had not arrived.
 *
 * A Redis that was emptied remembers no place, so it bears another epoch's name: an addition whose outcome is
 * unknown from before is then given up rather than counted twice.
 *
 * Every method throws DropError `unavailable` when Redis is away or late; what was sent may have been done.
 */
export function createRedisViewCounter(redis: Redis): ViewCounter {
  const keyOf = (name: string) => `${redis.keyPrefix}views:${name}`;
  const [state, line, heap] = [keyOf('state'), keyOf('line'), keyOf('heap:')];
  const [writers, heard] = [keyOf('writers'), keyOf('heard')];

  const scripts = {
    epoch: createScript(redis, epochLua, [state]),
    add: createScript(redis, addLua, [state, line, heap, writers, heard]),
    open: createScript(redis, openLua, [state, line]),
    close: createScript(redis, closeLua, [state, line, heap]),
    forget: createScript(redis, forgetLua, [writers, heard]),
  };

  /** The epoch as it was last heard of. */
  let epoch: string | null = null;

  /** Of each writer the addition whose outcome is unknown, and the epoch in which it was sent. */
  const unsure = new Map<string, { place: string; epoch: string }>();

  async function learnEpoch(): Promise<string> {
    return String(await scripts.epoch([randomUUID()]));
  }

  /** Adds one part, once. Emptied again and again while it tries, Redis is as good as away. */
  async function addPart(writer: string, place: string, now: number, pairs: string[]): Promise<void> {
    for (let triesLeft = 3; triesLeft > 0; triesLeft--) {
      const known = epoch ?? (await learnEpoch());
      epoch = known;
      const doubt = unsure.get(writer);
      if (doubt?.place === place && doubt.epoch !== known) return void unsure.delete(writer); // given up
      try {
        const isThere = await scripts.add([
          known,
          writer,
          place,
          String(now),
          String(countsPerBatch),
          ...pairs,
        ]);
        if (isThere === 1) return void unsure.delete(writer);
      } catch (error) {
        if (!wasNotSent(error)) unsure.set(writer, { place, epoch: known });
        throw error;
      }
      epoch = null; // Redis has been emptied
    }
    throw unavailable('Redis keeps nothing.');
  }

  /** @throws DropError `unavailable` for what connections do */
  async function answered<T>(work: () => Promise<T>): Promise<T> {
    if (!redis.isUp()) throw unavailable('Redis is unavailable.');
    try {
      return await work();
    } catch (error) {
      throw toDropError(error);
    }
  }

  return {
    add: (writer, flush, counts, now) =>
      answered(async () => {
        for (const [index, part] of partsOf(counts).entries()) {
          const pairs = part.flatMap(({ dropId, day, count }) => [`${day}/${dropId}`, String(count)]);
          await addPart(writer, String(flush * placesPerFlush + index), now, pairs);
        }
      }),

    openBatch: (now) =>
      answered(async () => {
        const opened = await scripts.open([String(now)]);
        if (opened === null) return null;
        const [number, name] = opened as [string, string]; // proof: what the script answers
        // Closed meanwhile by another job, the heap is gone, and so is all that there was to do.
        return { number: Number(number), counts: countsOf(await redis.client.hgetall(heap + name)) };
      }),

    closeBatch: (number) => answered(async () => void (await scripts.close([String(number)]))),

    forgetWriters: (before) => answered(async () => void (await scripts.forget([String(before)]))),
  };
}

/** At least one part: a flush of nothing is used all the same. */
function partsOf(counts: readonly ViewCount[]): (readonly ViewCount[])[] {
  const parts = [counts.slice(0, countsPerScript)];
  for (let from = countsPerScript; from < counts.length; from += countsPerScript) {
    parts.push(counts.slice(from, from + countsPerScript));
  }
  return parts;
}

function countsOf(heap: Record<string, string>): ViewCount[] {
  return Object.entries(heap).map(([field, count]) => {
    const slash = field.indexOf('/');
    return { dropId: field.slice(slash + 1), day: field.slice(0, slash), count: Number(count) };
  });
}
