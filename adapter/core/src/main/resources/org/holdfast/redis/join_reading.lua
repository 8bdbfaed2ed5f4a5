-- Comes after a script that lets a reader in or extends its lease: writes it down, and sees to it that the lock lasts as long
-- as its last reader.
--
-- Uses `base`, `readers`, `memory` and `linger` of the script before, what lock.lua has left, and the same KEYS and ARGV.
--
-- Returns {1, 0, clock of this node in microseconds}
redis.call('ZREMRANGEBYSCORE', readers, -millis, millis)
redis.call('ZADD', readers, millis + ARGV[3], ARGV[1])
local left = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')[2] - millis
if memory > 0 then
  left = math.min(left, linger) -- no lease lasts longer: the clock was set back since
end
write(KEYS[1], 'readers ' .. base, left, linger)
redis.call('PEXPIRE', readers, left + linger)
if tonumber(ARGV[2]) < tonumber(redis.call('GET', KEYS[2]) or '0') then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
else
  redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[4])
end
return {1, 0, now}
