-- Gives a lock back if its owner has it, and tells those who wait if it leaves a tombstone.
--
-- KEYS[1]  lock: holds the owner, expires with the lease
-- KEYS[2]  fence: holds the last token, expires a retention later
-- ARGV[1]  owner
-- ARGV[2]  the tombstone: one more than the lease's token, or 0 to leave none
-- ARGV[3]  TTL of the fence in milliseconds
-- ARGV[4]  channel on which the release is published
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {4, 0, _}     released
--   {5, 0, _}     there was nothing to release
--   {2, ms, _}    held by another, for so long if not renewed; untouched
--
-- The tombstone raises the last token: whatever is still under way of it, on whatever
-- connection, is refused from now on. No lock comes back from the dead.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local grave = tonumber(ARGV[2])
if grave > 0 and tonumber(redis.call('GET', KEYS[2]) or '0') < grave then
  redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
end

local holder = redis.call('GET', KEYS[1])
if not holder then
  return {5, 0, now}
end
if holder ~= ARGV[1] then
  return {2, redis.call('PTTL', KEYS[1]), now}
end
redis.call('DEL', KEYS[1])
if grave > 0 then -- what is undone without a tombstone was never had: nobody waits for that
  redis.call('PUBLISH', ARGV[4], ARGV[1])
end
return {4, 0, now}
