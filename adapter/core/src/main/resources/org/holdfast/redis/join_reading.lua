-- Comes after a script that admits a reader or extends its lease. Records the reader, and makes the lock last as long
-- as its last reader.
--
-- Uses of the script before: `base` and `leased`; `before`, if all readers may still be undone; `keptUntil`, until when
-- the lock is read already, or 0; `known`, when this reader's lease ends so far, or 0; `shortens`, whether it may end
-- earlier than that; `readers`, `lingerMicros` and `linger`. And what fence.lua and readers.lua have left, and the same
-- KEYS and ARGV.
--
-- A reader's entry lingers as locks do, and no lease gets shorter by a clock that is behind for a moment: see lock.lua.
--
-- Returns {1, 0, clock of this node in microseconds}
local expired = redis.call('ZREMRANGEBYSCORE', readers, -millis, millis - linger)
if expired > 0 and lingerMicros > 0 then
  heartbeat() -- see lock.lua
end
local ends = millis + ARGV[3]
if not shortens then
  ends = math.max(ends, known)
end
local function latestEnd()
  return tonumber(redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')[2] or '0')
end
local latest = latestEnd()
if latest == 0 then
  redis.call('PEXPIRE', readers, ARGV[3]) -- nothing is there: a user who may not use it leaves no set that stays for ever
end
if keptUntil > millis - linger then -- also one that seems over: this clock may be ahead for a moment
  local deleted = endOfDeleted(KEYS[1], linger, keptUntil, known, latest)
  if deleted then
    redis.call('ZADD', readers, deleted, 'deleted') -- stands for it
    latest = math.max(latest, deleted)
  end
end
redis.call('ZADD', readers, ends, ARGV[1])
local readUntil = shortens and latestEnd() or math.max(latest, ends)
redis.call('PEXPIRE', readers, readUntil + linger - millis) -- before setUntil, which may be refused
local last, lease = tokens(KEYS[2])
local stands = larger(lease, ARGV[2])
if not before then
  before = stands
elseif expired > 0 then
  before = lease -- that is perhaps the token of one that has ended
end
local value = ARGV[5] .. ' ' .. before .. ' readers ' .. base .. ' ' .. leased
setUntil(KEYS[1], value, readUntil + linger)
record(KEYS[2], larger(last, stands), stands, lingerMicros > 0 and readUntil, ARGV[4])
return {1, 0, now}
