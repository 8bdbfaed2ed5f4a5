-- Comes after a script that admits a reader or extends its lease. Records the reader, and makes the lock last as long
-- as its last reader.
--
-- Uses `base` and `leased`; `before`, if all readers may still be undone; `readers`, `lingerMicros`, `linger` and
-- `longestLease` of the script before; what fence.lua has left; and the same KEYS and ARGV.
--
-- A reader's entry lingers as locks do, see lock.lua.
--
-- Returns {1, 0, clock of this node in microseconds}
local expired = redis.call('ZREMRANGEBYSCORE', readers, -millis, millis - linger)
if expired > 0 and lingerMicros > 0 then
  redis.call('GET', KEYS[#KEYS - 1]) -- see lock.lua
end
redis.call('ZADD', readers, millis + ARGV[3], ARGV[1])
local left = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')[2] - millis
if lingerMicros > 0 then
  left = math.min(left, longestLease) -- no lease lasts longer: the clock was set back since
end
local last, lease = tokens(KEYS[2])
local stands = larger(lease, ARGV[2])
if not before then
  before = stands
elseif expired > 0 then
  before = lease -- that is perhaps the token of one that has ended
end
redis.call('SET', KEYS[1], ARGV[5] .. ' ' .. before .. ' readers ' .. base .. ' ' .. leased, 'PX', left + linger)
redis.call('PEXPIRE', readers, left + linger)
record(KEYS[2], larger(last, stands), stands, lingerMicros > 0 and millis + left, ARGV[4])
return {1, 0, now}
