-- Gives a lock back if its owner has it, and tells those who wait.
--
-- KEYS[1]  lock: holds the owner, expires with the lease
-- KEYS[2]  fence: holds the last token, expires a retention later
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  1 to leave a tombstone, 0 not to
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  channel on which the release is published
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {4, 0, _}     released
--   {5, 0, _}     there was nothing to release
--   {2, ms, _}    held by another, for so long if not renewed; untouched
--
-- The tombstone raises the last token to one more than this lease's: whatever is still under way of it, on whatever
-- connection, is refused from now on. No lock comes back from the dead.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if ARGV[3] == '1' then
  local grave = tonumber(ARGV[2]) + 1
  local last = tonumber(redis.call('GET', KEYS[2]) or '0')
  if last < grave then
    redis.call('SET', KEYS[2], string.format('%.0f', grave), 'PX', ARGV[4])
  end
end

local holder = redis.call('GET', KEYS[1])
if not holder then
  return {5, 0, now}
end
if holder ~= ARGV[1] then
  return {2, redis.call('PTTL', KEYS[1]), now}
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[5], ARGV[2])
return {4, 0, now}
