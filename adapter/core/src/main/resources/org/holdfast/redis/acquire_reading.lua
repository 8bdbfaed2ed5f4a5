-- Admits one more reader, unless an owner has the lock exclusively. Comes after time.lua, quarantine.lua, lock.lua,
-- ended.lua, fence.lua and readers.lua.
--
-- KEYS[1]  lock, see lock.lua; while it is read it ends with the last reader's lease
-- KEYS[2]  fence, see lock.lua; expires a retention and more later
-- KEYS[3], KEYS[4], KEYS[5]  waiters; see queue.lua
-- KEYS[6]  readers: each owner with the moment in milliseconds at which its lease expires; and each that has released
--          its lease, with minus the moment until which whatever is still under way of it is refused
-- last two of KEYS  heartbeat and birth mark, see quarantine.lua
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lease in milliseconds
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a lock's key lingers in microseconds, see quarantine.lua; 0 to trust this node's memory
-- ARGV[6]  see ended.lua
-- ARGV[9]  how far the token may be from this node's clock in microseconds
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     granted
--   {2, ms, _}    an owner has the lock exclusively, for so long if not renewed
--   {16, ms, _}   such a lease has ended, or lasts too long, if this node's clock is right at this moment, in
--                 milliseconds
--   {3, token, _} this token or a larger one was granted before the reading began, or this lease was released
--   {15, ms, _}   the token is so far ahead of this node's clock, or behind if negative, that tokens might fall
--   {6, 0, _}     the birth mark or the heartbeat is gone: this node may have forgotten locks
--   {7, ms, _}    in quarantine for so long: this node may have forgotten locks
--
-- A reader's token is larger than that of every exclusive owner before it, and smaller than that of every one after it.
-- Readers have no order among themselves: else they would refuse each other.

local ahead = ARGV[2] - now
if math.abs(ahead) > tonumber(ARGV[9]) then
  return {15, ahead / 1000, now}
end

local lingerMicros = tonumber(ARGV[5])
local readers = KEYS[6]
local linger = math.ceil(lingerMicros / 1000)
local shortens = false
local holder, left, value = readLock(KEYS[1], ARGV[1])
local missing = not holder
local base, leased, before
local keptUntil = 0 -- until when the lock is read already
if holder then
  base, leased = string.match(holder, '^readers (%d+) (%d+)$')
  before = string.match(value, '^%d+ (%d+) ')
  keptUntil = base and momentAfter(left) or 0
  if left <= 0 and base then -- the same reading continues, since it may be in force
    before = select(2, tokens(KEYS[2])) -- that is perhaps the token of one that has ended
  end
end
if holder and not base then
  local refusal = refusalOf(lockHeldFor(KEYS[1], KEYS[2], left, value, lingerMicros))
  if refusal then
    return refusal
  end
end

local refusal = forgotten(lingerMicros)
if refusal then
  return refusal
end

local isFirst = not base
if isFirst then
  local ends
  base, leased, ends = tokens(KEYS[2])
  before = leased
  if missing then
    refusal = refusalOf(missingHeldFor(KEYS[2], base, leased, ends, lingerMicros))
    if refusal then
      return refusal
    end
  end
end
local known = tonumber(redis.call('ZSCORE', readers, ARGV[1]) or '0')
if tonumber(ARGV[2]) <= tonumber(base) or known < 0 then
  return {3, tonumber((tokens(KEYS[2]))), now}
end
if isFirst then
  known = 0
  redis.call('DEL', readers)
end
