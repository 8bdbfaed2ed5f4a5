-- Comes after a script that admits a reader or extends its lease. Records the reader, and makes the lock last as long
-- as its last reader.
--
-- Uses `base` and `leased`; `before`, if all readers may still be undone; `over`, what they have taken over then, see
-- takeover.lua; `readers`, `lingerMicros`, `linger` and `longestLease` of the script before; what fence.lua has left; and the same KEYS
-- and ARGV.
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
redis.call('SET', KEYS[1], (over or '') .. ARGV[5] .. ' ' .. before .. ' readers ' .. base .. ' ' .. leased, 'PX', left + linger)
redis.call('PEXPIRE', readers, left + linger)
if stands == lease then
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
else
  record(KEYS[2], larger(last, stands), stands, ARGV[4])
end
return {1, 0, now}
