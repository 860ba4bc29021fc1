/*
 * Counted views. The keys:
 *   state    hash: `epoch`, a random name that a Redis which was emptied does not have any more; `heaps`, how many
 *            there were; `last`, the number of the last batch; `open`, the number of the open one
 *   line     list of the names of heaps: from the left the next to become a batch, on the right the one that grows.
 *            While a batch is open, the leftmost is its heap, and grows no more
 *   heap:*   hash, each: day/drop → count. A heap is bounded, so that no batch is ever too large to be read at once
 *   writers  hash: writer → the place of its last addition
 *   heard    sorted set: writer → when that was
 * No script goes through a heap, so opening and closing take the same time whatever they hold.
 */

/** KEYS: state. ARGV: a name for it. Answers with the name that this Redis has. */
export const epochLua = `
redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
return redis.call('HGET', KEYS[1], 'epoch')
`;

/**
 * Adds to the heap that grows, unless the writer has been at that place.
 * KEYS: state, line, heap (what their names begin with), writers, heard. ARGV: epoch, writer, place, now, the size
 * from which on a heap grows no more; then field, count, field, count …
 * Answers 1, or 0 when the epoch is another one: then nothing was added.
 */
export const addLua = `
local state, line, heap, writers, heard = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local epoch, writer, place, now, full = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
if redis.call('HGET', state, 'epoch') ~= epoch then return 0 end
local last = redis.call('HGET', writers, writer)
if last and tonumber(last) >= tonumber(place) then return 1 end
redis.call('HSET', writers, writer, place)
redis.call('ZADD', heard, now, writer)
if #ARGV < 6 then return 1 end

local name = redis.call('LINDEX', line, -1)
local isOpen = redis.call('HEXISTS', state, 'open') == 1 and redis.call('LLEN', line) == 1
if not name or isOpen or redis.call('HLEN', heap .. name) >= full then
  name = epoch .. ':' .. redis.call('HINCRBY', state, 'heaps', 1)
  redis.call('RPUSH', line, name)
end
for i = 6, #ARGV, 2 do
  redis.call('HINCRBY', heap .. name, ARGV[i], ARGV[i + 1])
end
return 1
`;

/**
 * KEYS: state, line. ARGV: now. Answers with the number of the open batch, opened now if none was, and the name of
 * its heap; null: there is nothing to count. The number is text: Lua's own would end as 1.7e+12.
 */
export const openLua = `
local state, line = KEYS[1], KEYS[2]
local name = redis.call('LINDEX', line, 0)
if not name then return nil end
local number = redis.call('HGET', state, 'open')
if not number then
  local last = tonumber(redis.call('HGET', state, 'last') or '0')
  number = string.format('%.0f', math.max(last + 1, tonumber(ARGV[1])))
  redis.call('HSET', state, 'open', number, 'last', number)
end
return {number, name}
`;

/** KEYS: state, line, heap (what their names begin with). ARGV: the number of the batch. */
export const closeLua = `
local state, line, heap = KEYS[1], KEYS[2], KEYS[3]
if redis.call('HGET', state, 'open') ~= ARGV[1] then return end
redis.call('HDEL', state, 'open')
redis.call('UNLINK', heap .. redis.call('LPOP', line))
`;

/** KEYS: writers, heard. ARGV: Unix ms. By the thousand: Lua's unpack takes some 8,000 at most. */
export const forgetLua = `
local writers, heard = KEYS[1], KEYS[2]
repeat
  local silent = redis.call('ZRANGEBYSCORE', heard, '-inf', '(' .. ARGV[1], 'LIMIT', 0, 1000)
  if #silent > 0 then
    redis.call('HDEL', writers, unpack(silent))
    redis.call('ZREM', heard, unpack(silent))
  end
until #silent == 0
`;
