import type { Redis } from '../redis/connection.ts';
import type { ViewCount, ViewStore, ViewTotals } from './view-store.ts';

/** How long the last flush of a writer is kept. A process repeats an unconfirmed flush each second until it exits. */
const writerSeconds = 86_400;

/** How many fields of a batch Redis returns at a time, so that reading a large one never blocks it. */
const fieldsPerRead = 2_000;

/** KEYS: the writer's last flush, counts. ARGV: the flush, seconds to keep it, then field, count, field, count … */
const addLua = `
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
for i = 3, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[2], ARGV[i], ARGV[i + 1])
end
`;

/**
 * Returns the number of the open batch. If none is open, the counts become a batch under the number max(last number + 1, now).
 * nil: nothing was counted. Before that, each hash of the first release (`line`, `heap:…`, the first as `state`'s `open`) does.
 * KEYS: counts, state, prefix of batches, line, prefix of heaps. ARGV: now
 */
const openLua = `
local counts, state, batch, line, heap = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local last = redis.call('HGET', state, 'last') or '0'
if redis.call('EXISTS', batch .. last) == 1 then return last end

local number = string.format('%.0f', math.max(tonumber(last) + 1, tonumber(ARGV[1])))
local name = redis.call('LPOP', line)
if name then
  counts = heap .. name
  number = redis.call('HGET', state, 'open') or number
  redis.call('HDEL', state, 'open')
end
if redis.call('EXISTS', counts) == 0 then return nil end
redis.call('RENAME', counts, batch .. number)
redis.call('HSET', state, 'last', number)
return number
`;

/**
 * Views of all processes until they are added to `totals`: a hash `<day>/<drop id>` → count, which is renamed when it becomes a
 * batch and never changes from then on. When Redis is down or late, methods throw `unavailable`: the command may have been done.
 */
export class RedisViews implements ViewStore {
  readonly #redis: Redis;
  readonly #totals: ViewTotals;

  constructor(redis: Redis, totals: ViewTotals) {
    this.#redis = redis;
    this.#totals = totals;
  }

  add(writer: string, flush: number, counts: readonly ViewCount[]): Promise<void> {
    const keys = [this.#keyOf(`flush:${writer}`), this.#keyOf('counts')];
    return this.#withDropErrors(async () => {
      const fields = counts.flatMap(({ dropId, day, count }) => [`${day}/${dropId}`, count]);
      await this.#redis.client.eval(addLua, keys.length, ...keys, flush, writerSeconds, ...fields);
    });
  }

  aggregate(now: number): Promise<void> {
    const { client } = this.#redis;
    const names = ['counts', 'state', 'batch:', 'line', 'heap:'];
    const keys = names.map((name) => this.#keyOf(name));
    return this.#withDropErrors(async () => {
      // The first batch may be one that an earlier run left open; the second batch has the views counted since.
      for (let batches = 0; batches < 2; batches++) {
        const opened = await client.eval(openLua, keys.length, ...keys, now);
        if (opened === null) return;
        const number = String(opened);
        await this.#totals.addBatch(Number(number), await this.#readBatch(number));
        await client.unlink(this.#keyOf(`batch:${number}`));
      }
    });
  }

  removeDaysBefore(day: string): Promise<void> {
    return this.#totals.removeDaysBefore(day);
  }

  listDays(dropId: string, from?: string): Promise<Map<string, number>> {
    return this.#totals.listDays(dropId, from);
  }

  listDaysOfDrops(
    dropIds: readonly string[],
    days: readonly string[],
  ): Promise<Map<string, ReadonlyMap<string, number>>> {
    return this.#totals.listDaysOfDrops(dropIds, days);
  }

  #keyOf(name: string): string {
    return `${this.#redis.keyPrefix}views:${name}`;
  }

  async #readBatch(number: string): Promise<ViewCount[]> {
    const key = this.#keyOf(`batch:${number}`);
    const counts = new Map<string, number>(); // HSCAN may return a field twice
    let cursor = '0';
    do {
      const [next, fields] = await this.#redis.client.hscan(key, cursor, 'COUNT', fieldsPerRead);
      for (let i = 0; i < fields.length; i += 2) counts.set(fields[i] ?? '', Number(fields[i + 1]));
      cursor = next;
    } while (cursor !== '0');
    return [...counts].map(([field, count]) => {
      const slash = field.indexOf('/');
      return { dropId: field.slice(slash + 1), day: field.slice(0, slash), count };
    });
  }

  async #withDropErrors<T>(work: () => Promise<T>): Promise<T> {
    this.#redis.requireUp('Redis is unavailable.');
    try {
      return await work();
    } catch (error) {
      throw this.#redis.explain(error);
    }
  }
}
