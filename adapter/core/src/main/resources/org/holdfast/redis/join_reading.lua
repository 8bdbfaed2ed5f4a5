-- Comes after a script that lets a reader in or extends its lease: writes it down, and sees to it that the lock lasts as long
-- as its last reader.
--
-- Uses `base`, `before` if all who read may still be undone, `readers`, `memory` and `linger` of the script before, what lock.lua
-- has left, and the same KEYS and ARGV.
--
-- Returns {1, 0, clock of this node in microseconds}
local expired = redis.call('ZREMRANGEBYSCORE', readers, -millis, millis)
redis.call('ZADD', readers, millis + ARGV[3], ARGV[1])
local left = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')[2] - millis
if memory > 0 then
  left = math.min(left, linger) -- no lease lasts longer: the clock was set back since
end
local fence = redis.call('GET', KEYS[2]) or '0'
local larger = tonumber(ARGV[2]) < tonumber(fence)
if not before then
  before = larger and fence or ARGV[2]
elseif expired > 0 then
  before = fence -- that was perhaps the token of a lease
end
write(KEYS[1], 'readers ' .. base, left, linger, before)
redis.call('PEXPIRE', readers, left + linger)
if larger then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
else
  redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
end
return {1, 0, now}
