import type { Queue } from 'bullmq';
import type { Redis } from '../redis/connection.ts';
import { jobNames, priorities } from './job-catalogue.ts';
import { addTallies, type JobCount, type JobTally } from './job-reports.ts';

/** At most so many jobs of one range are read: Redis answers no other client meanwhile (docs/performance.md). */
const readAtMost = 1_000;
const blockLength = 10;

/** BullMQ's score of a prioritized job is this times the priority, plus a counter; of a delayed one its time times 4096. */
const scorePerPriority = 2 ** 32;
const scorePerMs = 4096;

/**
 * Reads the names of jobs in a list, or in a part of a sorted set. Of more than ARGV[2] jobs, it reads those at the end
 * of the list, which are the oldest, or blocks of ten at random places all over the sorted set.
 * KEYS: the list or set, the start of the jobs' keys. ARGV: `list` or `set`, most jobs to read, lowest and highest score,
 * where the due time is: `score`, `job`, `none`, or `later` (not due: next runs of schedules, whose ids begin with `repeat:`, are skipped).
 * Returns the jobs there are, the jobs read, then for each name: name, jobs read, earliest due time ('': unknown).
 */
const readNamesLua = `
local key, prefix, most, due = KEYS[1], KEYS[2], tonumber(ARGV[2]), ARGV[5]
local total, ids = 0, {}
if ARGV[1] == 'list' then
  total = redis.call('LLEN', key)
  ids = redis.call('LRANGE', key, -most, -1)
else
  total = redis.call('ZCOUNT', key, ARGV[3], ARGV[4])
  local first = redis.call('ZCOUNT', key, '-inf', '(' .. ARGV[3])
  if total > 0 and total <= most then ids = redis.call('ZRANGE', key, first, first + total - 1) end
  if total > most then
    local length = ${blockLength}
    local section = total * length / most
    for i = 0, most / length - 1 do
      local rank = first + math.floor(i * section + math.random() * (section - length))
      for _, id in ipairs(redis.call('ZRANGE', key, rank, rank + length - 1)) do ids[#ids + 1] = id end
    end
  end
end

-- Due after the delay that it was added with; after an attempt, when the backoff is over.
local function dueTimeOf(id, timestamp)
  local job = redis.call('HMGET', prefix .. id, 'opts', 'processedOn', 'atm')
  local opts, startedAt, attempts = cjson.decode(job[1]), job[2], job[3]
  local at = timestamp + (opts.delay or 0)
  if not startedAt then return at end
  local backoff = type(opts.backoff) == 'table' and opts.backoff.delay or 0
  return math.max(at, startedAt + (attempts and backoff * 2 ^ (attempts - 1) or 0))
end

local names, counts, earliest = {}, {}, {}
for _, id in ipairs(ids) do
  local job = redis.call('HMGET', prefix .. id, 'name', 'timestamp')
  local name = job[1]
  if name and not (due == 'later' and string.sub(id, 1, 7) == 'repeat:') then
    if not counts[name] then names[#names + 1] = name end
    counts[name] = (counts[name] or 0) + 1
    if due == 'score' then
      earliest[name] = math.min(earliest[name] or math.huge, redis.call('ZSCORE', key, id) / ${scorePerMs})
    elseif due == 'job' and tonumber(job[2]) < (earliest[name] or math.huge) then
      earliest[name] = math.min(earliest[name] or math.huge, dueTimeOf(id, tonumber(job[2])))
    end
  end
end
local reply = {total, #ids}
for _, name in ipairs(names) do
  reply[#reply + 1] = name
  reply[#reply + 1] = counts[name]
  reply[#reply + 1] = earliest[name] and string.format('%.0f', math.floor(earliest[name])) or ''
end
return reply
`;

/** Jobs of BullMQ that are in one state, and of one priority where that is known. */
interface Range {
  readonly state: JobTally['state'];
  readonly key: string;
  readonly type: 'list' | 'set';
  readonly scores: readonly [low: number | string, high: number | string];
  readonly due: 'score' | 'job' | 'none' | 'later';
}

function listRanges(now: number): readonly Range[] {
  const all = ['-inf', '+inf'] as const;
  const whole = { type: 'list', scores: all } as const;
  const delayedUntil = (now + 1) * scorePerMs - 1; // as BullMQ decides that a delayed job is due
  const highest = Math.max(...priorities);
  // Each priority apart: most have jobs of one name only, which makes the estimate exact.
  const prioritized = priorities.map((priority) => {
    const next = priority === highest ? '+inf' : (priority + 1) * scorePerPriority - 1;
    return [priority * scorePerPriority, next] as const;
  });
  return [
    { state: 'waiting', key: 'wait', ...whole, due: 'job' },
    { state: 'waiting', key: 'paused', ...whole, due: 'job' },
    ...prioritized.map(
      (scores) => ({ state: 'waiting', key: 'prioritized', type: 'set', scores, due: 'job' }) as const,
    ),
    { state: 'waiting', key: 'delayed', type: 'set', scores: ['-inf', delayedUntil], due: 'score' },
    { state: 'waiting', key: 'delayed', type: 'set', scores: [delayedUntil + 1, '+inf'], due: 'later' },
    { state: 'active', key: 'active', ...whole, due: 'none' },
    { state: 'failed', key: 'failed', type: 'set', scores: all, due: 'none' },
  ];
}

/** BullMQ keeps one number for all names, so up to 1,000 jobs are read, and the numbers of others are estimated. */
export async function countJobsByName(redis: Redis, queue: Queue, now: number): Promise<JobCount[]> {
  const tallies = await Promise.all(listRanges(now).map((range) => countRange(redis, queue, range, now)));
  return addTallies(jobNames, tallies.flat());
}

async function countRange(redis: Redis, queue: Queue, range: Range, now: number): Promise<JobTally[]> {
  const { state, key, type, scores, due } = range;
  const keys = [queue.toKey(key), queue.toKey('')];
  const answer = await redis.client.eval(
    readNamesLua,
    keys.length,
    ...keys,
    type,
    readAtMost,
    ...scores,
    due,
  );
  const [total, read, ...names] = answer as [number, number, ...(string | number)[]]; // proof: `readNamesLua`
  const tallies: JobTally[] = [];
  for (let i = 0; i < names.length; i += 3) {
    const [name, count, dueAt] = names.slice(i, i + 3);
    tallies.push({
      name: String(name),
      state,
      count: Math.round((Number(count) * total) / read),
      oldestDueAt: dueAt === '' ? null : Math.min(Number(dueAt), now),
      isEstimate: read < total,
    });
  }
  return tallies;
}
