-- Ends a reader's lease, and tells those who wait if it was the last one. Comes after clock.lua, lock.lua and fence.lua.
--
-- KEYS[1]  lock, see lock.lua; while it is read it ends with the last reader's lease
-- KEYS[2]  fence, see lock.lua; expires a retention and more later
-- KEYS[3]  readers: each owner with the moment in milliseconds at which its lease expires; and each that has released its
--          lease, with minus the moment until which whatever is still under way of it is refused
-- KEYS[4]  heartbeat, see memory.lua, if there is one
-- ARGV[1]  owner
-- ARGV[2]  the tombstone: one more than the lease's token, or 0 to leave none
-- ARGV[3]  TTL of the fence in milliseconds
-- ARGV[4]  0 to end a lease; to undo an attempt, see lock.lua, how far its token may be ahead of this node's clock in microseconds
-- ARGV[5]  channel on which the release is published
-- ARGV[6]  TTL of the lease in milliseconds
-- ARGV[7]  how long a forgotten lock may last in microseconds; 0 to trust this node's memory
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {4, n, _}     released; it was the last reader and n connections listened for that, or n is 0
--   {5, 0, _}     there was nothing to release
--   {2, ms, _}    somebody else has the lock alone, for so long if not renewed; untouched
--
-- While others read, a larger last token keeps nobody out who reads: what is still under way of this lease is refused by its
-- own entry, as long as it could last. When nobody reads any more, the last token does it.

local tombstone = ARGV[2]
local held = ARGV[4] == '0'
if not held and tombstone - now > tonumber(ARGV[4]) then
  tombstone = '0' -- this node will refuse the attempt, and no caller is to go on from a token of a wrong clock
end
local grave = tonumber(tombstone)

-- Leaves the tombstone. Comes after something that needs no memory, so that it can be left on a full node: see release.lua.
local function bury()
  local last, lease = tokens(KEYS[2])
  local stands = held and larger(lease, tombstone) or lease
  if stands ~= lease or tonumber(last) < grave then
    record(KEYS[2], larger(last, tombstone), stands, ARGV[3])
  elseif grave > 0 then
    prolong(KEYS[2], ARGV[3])
  end
end

local linger = math.ceil(ARGV[7] / 1000)
local holder, keptFor, value = look(KEYS[1], ARGV[1])
local before = value and string.match(value, '^%d+ (%d+) ')
local released = holder == ARGV[1] -- it has become a reader, and this node has not heard of that yet
local over = released
if released or not holder then
  redis.call('DEL', KEYS[1], KEYS[3])
  if KEYS[4] then
    redis.call('GET', KEYS[4]) -- see lock.lua
  end
  bury()
else
  if not string.match(holder, '^readers %d+ %d+$') then
    bury()
    if held and before and tonumber(before) < grave then -- it stands if the grant of that one is undone
      redis.call('SET', KEYS[1], string.match(value, '^%d+ ') .. tombstone .. ' ' .. holder, 'KEEPTTL')
    end
    if keptFor > 0 then
      return {2, keptFor, now}
    end
    return {5, 0, now}
  end
  local known = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1]) or '0')
  released = known > millis
  local expired = redis.call('ZREMRANGEBYSCORE', KEYS[3], -millis, millis)
  bury()
  if grave > 0 then
    redis.call('ZADD', KEYS[3], -(millis + ARGV[6]), ARGV[1])
  elseif known > 0 then -- what has left a tombstone before keeps it
    redis.call('ZREM', KEYS[3], ARGV[1])
  end
  local left = tonumber(redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2] or '0') - millis
  over = left <= 0 or keptFor <= 0
  local kept = before
  if expired > 0 or not before then
    before = select(2, tokens(KEYS[2])) -- that is perhaps the token of one that has ended
  elseif held then
    before = larger(before, tombstone)
  end
  if not over and (left < keptFor or before ~= kept) then
    left = math.min(left, keptFor)
    redis.call('SET', KEYS[1], ARGV[7] .. ' ' .. before .. ' ' .. holder, 'PX', left + linger)
    redis.call('PEXPIRE', KEYS[3], left + linger)
  end
end
if not released and not over then
  return {5, 0, now}
end

local listeners = 0
if over then
  redis.call('DEL', KEYS[1], KEYS[3])
  if grave > 0 then -- what is undone without a tombstone was never had: nobody waits for that
    listeners = redis.call('PUBLISH', ARGV[5], ARGV[1])
  end
  local last, lease = tokens(KEYS[2])
  if not held and released and before and tonumber(before) < tonumber(lease) then
    record(KEYS[2], last, before, ARGV[3])
  end
end
return {released and 4 or 5, listeners, now}
