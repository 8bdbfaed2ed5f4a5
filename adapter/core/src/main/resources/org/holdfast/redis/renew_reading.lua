-- Extends a reader's lease, and lets the reader in again if no larger token was granted to somebody alone since: that heals
-- a node which missed it or lost it. An owner that has had the lock alone becomes a reader, and lets others in. Comes after
-- clock.lua, memory.lua, lock.lua and fence.lua.
--
-- KEYS[1]  lock, see lock.lua; while it is read it ends with the last reader's lease
-- KEYS[2]  fence, see lock.lua; expires a retention and more later
-- KEYS[3]  readers: each owner with the moment in milliseconds at which its lease expires; and each that has released its
--          lease, with minus the moment until which whatever is still under way of it is refused
-- last two of KEYS  heartbeat and birth mark, see memory.lua
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lease in milliseconds
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a forgotten lock may last in microseconds; 0 to trust this node's memory
-- ARGV[6]  channel on which those who wait to read hear that they may
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     extended
--   {2, ms, _}    somebody has the lock alone, for so long if not renewed
--   {3, token, _} this reader is not in, and a larger token was granted since or this lease was released
--   {6, 0, _}     this reader is not in, and the birth mark or the heartbeat is gone: this node may have forgotten locks, and heals nothing
--   {7, ms, _}    this reader is not in, and this node is in quarantine for so long, and heals nothing

local memory = tonumber(ARGV[5])
local readers = KEYS[3]
local linger = math.ceil(memory / 1000)
local before -- whoever renews will not be undone
local holder, left = look(KEYS[1], ARGV[1])
if holder and left <= 0 and holder ~= ARGV[1] then
  holder = nil
end
local base, leased
if holder then
  base, leased = string.match(holder, '^readers (%d+) (%d+)$')
end
if holder == ARGV[1] then
  base, leased = tokens(KEYS[2])
  base = larger(base, ARGV[2]) -- what was released meanwhile does not come in after all
  leased = larger(leased, ARGV[2])
  redis.call('DEL', readers)
  redis.call('PUBLISH', ARGV[6], ARGV[1])
elseif holder and not base then
  return {2, left, now}
else
  local known = base and tonumber(redis.call('ZSCORE', readers, ARGV[1]) or '0') or 0
  if known <= millis then
    local doubt = forgotten(memory)
    if doubt then
      return doubt
    end
    local last, lease = tokens(KEYS[2])
    if tonumber(ARGV[2]) < tonumber(leased or lease) or known < 0 then
      return {3, tonumber(lease), now}
    end
    if not base then
      base, leased = last, lease
      redis.call('DEL', readers)
    end
  end
end
