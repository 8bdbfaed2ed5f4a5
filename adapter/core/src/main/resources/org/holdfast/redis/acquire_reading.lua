-- Admits one more reader, unless an owner has the lock exclusively. Comes after time.lua, quarantine.lua, lock.lua,
-- fence.lua and takeover.lua.
--
-- KEYS[1]  lock, see lock.lua; while it is read it ends with the last reader's lease
-- KEYS[2]  fence, see lock.lua; expires a retention and more later
-- KEYS[3], KEYS[4], KEYS[5]  waiters; see queue.lua
-- KEYS[6]  readers: each owner with the moment in milliseconds at which its lease expires; and each that has released its
--          lease, with minus the moment until which whatever is still under way of it is refused
-- last two of KEYS  heartbeat and birth mark, see quarantine.lua
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lease in milliseconds
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a lock's key lingers in microseconds, see quarantine.lua; 0 to trust this node's memory
-- ARGV[8]  how far the token may be from this node's clock in microseconds
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     granted
--   {2, ms, _}    an owner has the lock exclusively, for so long if not renewed
--   {3, token, _} this token or a larger one was granted before the reading began, or this lease was released
--   {15, ms, _}   the token is so far ahead of this node's clock, or behind if negative, that tokens might fall
--   {6, 0, _}     the birth mark or the heartbeat is gone: this node may have forgotten locks
--   {7, ms, _}    in quarantine for so long: this node may have forgotten locks
--
-- A reader's token is larger than that of every exclusive owner before it, and smaller than that of every one after it.
-- Readers have no order among themselves: else they would refuse each other.

local ahead = ARGV[2] - now
if math.abs(ahead) > tonumber(ARGV[8]) then
  return {15, ahead / 1000, now}
end

local lingerMicros = tonumber(ARGV[5])
local readers = KEYS[6]
local linger = math.ceil(lingerMicros / 1000)
local longestLease = math.ceil(quarantineOf(lingerMicros) / 1000)
local holder, left, value, over = readLock(KEYS[1], ARGV[1])
local base, leased, before
if holder then
  base, leased = string.match(holder, '^readers (%d+) (%d+)$')
  before = string.match(value, '^%d+ (%d+) ')
  if left <= 0 and base then -- the same reading continues, since it may be in force
    before = select(2, tokens(KEYS[2])) -- that is perhaps the token of one that has ended
  elseif left <= 0 then
    over = disown(takeOver(left, value, over, millis), 'readers %d+ %d+') -- the entries of such readers are deleted below
    holder = nil
  end
end
if base and lingerMicros > 0 then
  local beneath = math.min(inForceBeneath(over, millis), left)
  if beneath > longestLease then -- no lease lasts longer: the clock was set back since
    redis.call('PEXPIRE', KEYS[1], longestLease + linger)
  end
  if beneath > 0 then -- all readers here may be attempts that are to be undone
    return {2, math.min(beneath, longestLease), now}
  end
end
if holder and not base then
  if lingerMicros > 0 and left > longestLease then
    left = longestLease -- no lease lasts longer: the clock was set back since
    redis.call('PEXPIRE', KEYS[1], left + math.ceil((string.match(value, '^%d+') or 0) / 1000))
  end
  return {2, left, now}
end

local refusal = forgotten(lingerMicros)
if refusal then
  return refusal
end

local isFirst = not base
if isFirst then
  base, leased = tokens(KEYS[2])
  before = leased
end
local known = tonumber(redis.call('ZSCORE', readers, ARGV[1]) or '0')
if tonumber(ARGV[2]) <= tonumber(base) or known < 0 then
  return {3, tonumber((tokens(KEYS[2]))), now}
end
if isFirst then -- not before it is certain that this reader is let in: the entries may be of a reading that stands again
  redis.call('DEL', readers)
end
