-- Lets one more reader in, unless somebody has the lock alone. Comes after clock.lua, memory.lua, lock.lua and fence.lua.
--
-- KEYS[1]  lock, see lock.lua; while it is read it ends with the last reader's lease
-- KEYS[2]  fence, see lock.lua; expires a retention and more later
-- KEYS[3], KEYS[4], KEYS[5]  who waits; see queue.lua
-- KEYS[6]  readers: each owner with the moment in milliseconds at which its lease expires; and each that has released its
--          lease, with minus the moment until which whatever is still under way of it is refused
-- last two of KEYS  heartbeat and birth mark, see memory.lua
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lease in milliseconds
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a forgotten lock may last in microseconds; 0 to trust this node's memory
-- ARGV[8]  how far the token may be from this node's clock in microseconds
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     granted
--   {2, ms, _}    somebody has the lock alone, for so long if not renewed
--   {3, token, _} this token or a larger one was granted before the reading began, or this lease was released
--   {15, ms, _}   the token is so far ahead of this node's clock, or behind if negative, that tokens might fall
--   {6, 0, _}     the birth mark or the heartbeat is gone: this node may have forgotten locks
--   {7, ms, _}    in quarantine for so long: this node may have forgotten locks
--
-- Readers have larger tokens than everybody who had the lock alone before them, and smaller ones than everybody after. Among
-- themselves they are in no order: else they would keep each other out.

local ahead = ARGV[2] - now
if math.abs(ahead) > tonumber(ARGV[8]) then
  return {15, ahead / 1000, now}
end

local memory = tonumber(ARGV[5])
local readers = KEYS[6]
local linger = math.ceil(memory / 1000)
local holder, left, value = look(KEYS[1], ARGV[1])
if holder and left <= 0 then
  holder = nil
end
local base, leased, before
if holder then
  base, leased = string.match(holder, '^readers (%d+) (%d+)$')
  before = string.match(value, '^%d+ (%d+) ')
end
if holder and not base then
  if memory > 0 and left > linger then
    left = linger -- no lease lasts longer: the clock was set back since
    redis.call('PEXPIRE', KEYS[1], left + math.ceil((string.match(value, '^%d+') or 0) / 1000))
  end
  return {2, left, now}
end

local doubt = forgotten(memory)
if doubt then
  return doubt
end

if not base then
  base, leased = tokens(KEYS[2])
  before = leased
  redis.call('DEL', readers)
end
local known = tonumber(redis.call('ZSCORE', readers, ARGV[1]) or '0')
if tonumber(ARGV[2]) <= tonumber(base) or known < 0 then
  return {3, tonumber((tokens(KEYS[2]))), now}
end
