-- Takes a lock if nobody else has it and the token is larger than any granted before.
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
--   {1, 0, _}     granted
--   {2, ms, _}    held by another, for so long if not renewed
--   {3, token, _} this token or a larger one was granted before
--   {6, 0, _}     the birth mark is gone: this node may have forgotten locks
--   {7, ms, _}    in quarantine for so long: this node may have forgotten locks
--
-- One script, because between looking and taking somebody else could take. The owner that has the lock already may ask
-- again with the same token: its first request may have been heard and the reply lost.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local memory = tonumber(ARGV[5])
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  local left = redis.call('PTTL', KEYS[1])
  if memory > 0 and left * 1000 > memory then
    left = math.ceil(memory / 1000) -- no lease lasts longer: the clock was set back since
    redis.call('PEXPIRE', KEYS[1], left)
  end
  return {2, left, now}
end

if memory > 0 then
  local mark = redis.call('GET', KEYS[3])
  if not mark then
    return {6, 0, now}
  end
  local whole = tonumber(string.match(mark, '^%d+')) + memory
  if now < whole then
    return {7, (whole - now) / 1000, now}
  end
end

local token = tonumber(ARGV[2])
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if token < last or (token == last and not holder) then
  return {3, last, now}
end

redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
return {1, 0, now}
