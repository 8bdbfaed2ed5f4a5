-- Extends a lock that its owner has. Takes it again if nobody has it and no larger token was granted since: that heals a
-- node which missed the acquisition or lost the key.
--
-- KEYS[1]  lock: holds the owner, expires with the lease
-- KEYS[2]  fence: holds the last token, expires a retention later
-- KEYS[3]  birth mark: begins with the moment since when this node's memory is whole, in microseconds
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lock in milliseconds
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a forgotten lock may last in microseconds; 0 to trust this node's memory
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     extended
--   {2, ms, _}    held by another, for so long if not renewed
--   {3, token, _} nobody has it, and a larger token was granted or this lease was released
--   {6, 0, _}     nobody has it, and the birth mark is gone: this node may have forgotten locks, and heals nothing
--   {7, ms, _}    nobody has it, and this node is in quarantine for so long: it may have forgotten locks, and heals nothing
--
-- While the owner still has the lock, no larger token was ever granted over it: what is on record then is the tombstone of
-- a contender that gave up, which must neither end this lease nor be forgotten.
--
-- Healing is safe even when the lease was about to run out: had anyone taken the lock since, every quorum would contain a
-- node with a larger token, and a released lease has left a token larger than its own.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return {2, redis.call('PTTL', KEYS[1]), now}
end

local memory = tonumber(ARGV[5])
if memory > 0 and not holder then
  local mark = redis.call('GET', KEYS[3])
  if not mark then
    return {6, 0, now}
  end
  local whole = tonumber(string.match(mark, '^%d+')) + memory
  if now < whole then
    return {7, (whole - now) / 1000, now}
  end
end

local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if not holder and tonumber(ARGV[2]) < last then
  return {3, last, now}
end

redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
if tonumber(ARGV[2]) < last then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
else
  redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
end
return {1, 0, now}
