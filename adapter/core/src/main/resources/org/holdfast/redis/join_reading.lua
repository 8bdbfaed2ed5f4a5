-- Comes after a script that admits a reader or extends its lease. Records the reader, and makes the lock last as long
-- as its last reader.
--
-- Uses of the script before: `base` and `leased`; `before`, if all readers may still be undone; `kept`, for how many
-- milliseconds more the lock is read already, and `missing`, whether its key is; `known`, when this reader's lease ends
-- so far, or 0; `shortens`, whether it may end earlier than that; `readers`, `lingerMicros` and `linger`. And what
-- fence.lua and readers.lua have left, and the same KEYS and ARGV.
--
-- A reader's entry lingers as locks do, and no lease gets shorter by a clock that is behind for a moment: see lock.lua.
--
-- Returns {1, 0, clock of this node in microseconds}
local expired = redis.call('ZREMRANGEBYSCORE', readers, -millis, millis - linger)
if expired > 0 and lingerMicros > 0 then
  redis.call('GET', KEYS[#KEYS - 1]) -- see lock.lua
end
local ends = millis + ARGV[3]
if not shortens then
  ends = math.max(ends, known)
end
local latest = tonumber(redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')[2] or '0')
if kept > 0 and isDeleted(kept, known, latest) then
  redis.call('ZADD', readers, millis + kept, 'deleted') -- stands for it
end
redis.call('ZADD', readers, ends, ARGV[1])
local left = math.max(kept, ends - millis)
if shortens and kept > 0 then
  left = math.min(tonumber(redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')[2]) - millis, kept)
end
local last, lease = tokens(KEYS[2])
local stands = larger(lease, ARGV[2])
if not before then
  before = stands
elseif expired > 0 then
  before = lease -- that is perhaps the token of one that has ended
end
local value = ARGV[5] .. ' ' .. before .. ' readers ' .. base .. ' ' .. leased
if kept > 0 and left == kept and not missing then
  redis.call('SET', KEYS[1], value, 'KEEPTTL')
else
  redis.call('SET', KEYS[1], value, 'PX', left + linger)
end
redis.call('PEXPIRE', readers, left + linger)
record(KEYS[2], larger(last, stands), stands, lingerMicros > 0 and millis + left, ARGV[4])
return {1, 0, now}
