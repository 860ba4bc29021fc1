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
export function createRedisViewStore(redis: Redis, totals: ViewTotals): ViewStore {
  const { client } = redis;
  const keyOf = (name: string) => `${redis.keyPrefix}views:${name}`;
  const batchKey = (number: string) => keyOf(`batch:${number}`);
  const openKeys = [keyOf('counts'), keyOf('state'), batchKey(''), keyOf('line'), keyOf('heap:')];

  async function readBatch(number: string): Promise<ViewCount[]> {
    const counts = new Map<string, number>(); // HSCAN may return a field twice
    let cursor = '0';
    do {
      const [next, fields] = await client.hscan(batchKey(number), cursor, 'COUNT', fieldsPerRead);
      for (let i = 0; i < fields.length; i += 2) counts.set(fields[i] ?? '', Number(fields[i + 1]));
      cursor = next;
    } while (cursor !== '0');
    return [...counts].map(([field, count]) => {
      const slash = field.indexOf('/');
      return { dropId: field.slice(slash + 1), day: field.slice(0, slash), count };
    });
  }

  async function withDropErrors<T>(work: () => Promise<T>): Promise<T> {
    redis.requireUp('Redis is unavailable.');
    try {
      return await work();
    } catch (error) {
      throw redis.explain(error);
    }
  }

  return {
    add: (writer, flush, counts) =>
      withDropErrors(async () => {
        const fields = counts.flatMap(({ dropId, day, count }) => [`${day}/${dropId}`, count]);
        await client.eval(
          addLua,
          2,
          keyOf(`flush:${writer}`),
          keyOf('counts'),
          flush,
          writerSeconds,
          ...fields,
        );
      }),

    aggregate: (now) =>
      withDropErrors(async () => {
        // The first batch may be one that an earlier run left open; the second batch has the views counted since.
        for (let batches = 0; batches < 2; batches++) {
          const opened = await client.eval(openLua, openKeys.length, ...openKeys, now);
          if (opened === null) return;
          const number = String(opened);
          await totals.addBatch(Number(number), await readBatch(number));
          await client.unlink(batchKey(number));
        }
      }),

    removeDaysBefore: totals.removeDaysBefore,
    listDays: totals.listDays,
    listDaysOfDrops: totals.listDaysOfDrops,
  };
}
