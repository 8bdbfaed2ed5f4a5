-- Takes a lock if nobody else has it and the token is larger than any granted before.
--
-- KEYS[1]  lock: holds the owner, expires with the lease
-- KEYS[2]  fence: holds the last token, expires a retention later
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lock in milliseconds
-- ARGV[4]  TTL of the fence in milliseconds
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     granted
--   {2, ms, _}    held by another, for so long if not renewed
--   {3, token, _} this token or a larger one was granted before
--
-- One script, because between looking and taking somebody else could take. The owner that has the lock already may ask
-- again with the same token: its first request may have been heard and the reply lost.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return {2, redis.call('PTTL', KEYS[1]), now}
end

local token = tonumber(ARGV[2])
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if token < last or (token == last and not holder) then
  return {3, last, now}
end

redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
return {1, 0, now}
