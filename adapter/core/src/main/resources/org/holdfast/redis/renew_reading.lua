-- Extends a reader's lease, and admits the reader again if no larger token was granted to an exclusive owner since:
-- that heals a node which missed it or lost it. An owner that has had the lock exclusively becomes a reader, and other
-- readers may join. Comes after time.lua, publish.lua, quarantine.lua, lock.lua, ended.lua,
-- fence.lua and readers.lua.
--
-- KEYS[1]  lock, see lock.lua; while it is read it ends with the last reader's lease
-- KEYS[2]  fence, see lock.lua; expires a retention and more later
-- KEYS[3]  readers: each owner with the moment in milliseconds at which its lease expires; and each that has released
--          its lease, with minus the moment until which whatever is still under way of it is refused
-- last two of KEYS  heartbeat and birth mark, see quarantine.lua
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lease in milliseconds
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a lock's key lingers in microseconds, see quarantine.lua; 0 to trust this node's memory
-- ARGV[6]  see ended.lua
-- ARGV[7]  channel on which the waiters to read are notified that they may
-- ARGV[8]  if the lease may end earlier than so far, the earliest moment that this clock shows if it is not behind, in
--          milliseconds; else 0
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     extended
--   {2, ms, _}    another owner has the lock exclusively, for so long if not renewed
--   {16, ms, _}   such a lease has ended, or lasts too long, if this node's clock is right at this moment, in
--                 milliseconds
--   {3, token, _} this reader is not in, and a larger token was granted since or this lease was released
--   {6, 0, _}     this reader is not in, and the birth mark or the heartbeat is gone: this node may have forgotten
--                 locks, and heals nothing
--   {7, ms, _}    this reader is not in, and this node is in quarantine for so long, and heals nothing

local lingerMicros = tonumber(ARGV[5])
local readers = KEYS[3]
local linger = math.ceil(lingerMicros / 1000)
local shortens = ARGV[8] ~= '0' and millis >= tonumber(ARGV[8])
local before -- a renewal is not undone
local holder, left, value = readLock(KEYS[1], ARGV[1])
local missing = not holder
local base, leased
local keptUntil = 0
local known = 0
if holder and holder ~= ARGV[1] then
  base, leased = string.match(holder, '^readers (%d+) (%d+)$')
  if base then
    keptUntil = momentAfter(left)
    known = tonumber(redis.call('ZSCORE', readers, ARGV[1]) or '0')
  else
    local refusal = refusalOf(lockHeldFor(KEYS[1], KEYS[2], left, value, lingerMicros))
    if refusal then
      return refusal
    end
    holder = nil
  end
end
if holder == ARGV[1] then
  if not shortens then
    known = momentAfter(redis.call('PTTL', KEYS[1]) - linger)
  end
  base, leased = tokens(KEYS[2])
  base = larger(base, ARGV[2]) -- a reader that was released meanwhile is not admitted after all
  leased = larger(leased, ARGV[2])
  redis.call('DEL', readers)
  redis.pcall(publish, ARGV[7], ARGV[1])
elseif known <= millis then
  local refusal = forgotten(lingerMicros)
  if refusal then
    return refusal
  end
  local last, lease, ends = tokens(KEYS[2])
  if tonumber(ARGV[2]) < tonumber(holder and leased or lease) or known < 0 then
    return {3, tonumber(lease), now}
  end
  if not base then
    base, leased = last, lease
    keptUntil = missing and ends or 0 -- others may have read, and the key is lost
    redis.call('DEL', readers)
  end
end
