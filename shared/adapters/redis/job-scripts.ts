import type { Redis as Client } from 'ioredis';

// What BullMQ has no call for. The scripts read its keys as it writes them itself: `wait` and `active` are lists of
// job ids, `prioritized` has those of a priority, `delayed` is sorted by the time (Unix ms) times 4096, `marker` wakes the workers, `de:<key>` names the
// job that stands for its key, and `dn:<key>` holds what was asked for while that one runs.

/**
 * KEYS de:<key>, dn:<key>, delayed, active, marker. ARGV prefix of job keys, now, time of the one that is asked for.
 * The job that stands for the key runs at the earlier time, with all its attempts.
 * Answers 1 when one stands, which is not one that merely runs; else 0.
 */
const hurry = `
local id = redis.call('GET', KEYS[1])
if not id then return 0 end
local job = ARGV[1] .. id
if redis.call('EXISTS', job) == 0 then return 0 end
local now, due = tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('LPOS', KEYS[4], id) then
  local stored = redis.call('HGET', KEYS[2], 'opts')
  if not stored then return 0 end
  local opts = cjson.decode(stored)
  if (tonumber(opts['delay']) or 0) > due - now then
    opts['delay'] = math.max(due - now, 0)
    redis.call('HSET', KEYS[2], 'opts', cjson.encode(opts))
  end
  return 1
end
redis.call('HDEL', job, 'atm')
local score = redis.call('ZSCORE', KEYS[3], id)
if score and due * 4096 < tonumber(score) then
  redis.call('ZADD', KEYS[3], due * 4096, id)
  redis.call('HSET', job, 'delay', math.max(due - now, 0))
  local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  redis.call('ZADD', KEYS[5], math.floor(tonumber(first[2]) / 4096), '1')
end
return 1`;

/**
 * KEYS a hash of its own. ARGV name, job id, prefix of job keys. Answers 1 when the job may run; 0 while another of
 * the name does, which is so for as long as it holds its lock.
 */
const enter = `
local holder = redis.call('HGET', KEYS[1], ARGV[1])
if holder and holder ~= ARGV[2] and redis.call('EXISTS', ARGV[3] .. holder .. ':lock') == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1`;

/** KEYS wait, prioritized, active, delayed of each line. ARGV now. How much of each line waits and is due, and how much runs. */
const look = `
local found = {}
for i = 1, #KEYS, 4 do
  local due = redis.call('ZCOUNT', KEYS[i + 3], '-inf', (tonumber(ARGV[1]) + 1) * 4096 - 1)
  found[#found + 1] = redis.call('LLEN', KEYS[i]) + redis.call('ZCARD', KEYS[i + 1]) + due
  found[#found + 1] = redis.call('LLEN', KEYS[i + 2])
end
return found`;

/** What is needed of a BullMQ queue: the names of its keys. */
interface Keys {
  toKey(type: string): string;
}

/** Whether a job stands for the key, which then runs at `dueAt` (Unix ms) at the latest; not one that only runs. */
export async function hurryStanding(
  client: Client,
  line: Keys,
  key: string,
  now: number,
  dueAt: number,
): Promise<boolean> {
  const keys = [`de:${key}`, `dn:${key}`, 'delayed', 'active', 'marker'].map((type) => line.toKey(type));
  return (await client.eval(hurry, keys.length, ...keys, line.toKey(''), now, dueAt)) === 1;
}

/** Whether one was asked for while the job of the key runs. */
export async function isAskedAgain(client: Client, line: Keys, key: string): Promise<boolean> {
  return (await client.exists(line.toKey(`dn:${key}`))) === 1;
}

/** Whether no other job of the name runs; from then on this one does, for as long as it holds its lock. */
export async function enterAlone(
  client: Client,
  line: Keys,
  turnsKey: string,
  name: string,
  jobId: string,
): Promise<boolean> {
  return (await client.eval(enter, 1, turnsKey, name, jobId, line.toKey(''))) === 1;
}

/** For each line how many jobs could run now, and how many run in any process: all at one moment. */
export async function lookAtLines(
  client: Client,
  lines: readonly Keys[],
  now: number,
): Promise<{ due: number; active: number }[]> {
  const keys = lines.flatMap((line) =>
    ['wait', 'prioritized', 'active', 'delayed'].map((type) => line.toKey(type)),
  );
  const found = (await client.eval(look, keys.length, ...keys, now)) as number[]; // proof: a list of counts
  return lines.map((_, index) => ({ due: found[2 * index] ?? 0, active: found[2 * index + 1] ?? 0 }));
}

/** Lets the workers of a line look whether something is due, as they do by themselves when its time has come. */
export async function wakeWorkers(client: Client, line: Keys): Promise<void> {
  await client.zadd(line.toKey('marker'), 0, '0');
}
