-- Takes a lock on one or several names, all or none, if no other owner has any of them and the token is larger than any
-- granted before. Comes after time.lua, quarantine.lua, lock.lua and ended.lua, which define what it calls, and after
-- acquire_free.lua, or after queue.lua for callers that wait in line. Before granted.lua or granted_in_turn.lua, which
-- reports a grant.
--
-- KEYS[1], KEYS[2]   lock and fence, see lock.lua; the fence expires a retention and more after the lease has ended.
--                    Then the same two of the second name, and so on
-- last two of KEYS   heartbeat and birth mark, see quarantine.lua
-- ARGV[1]  owner
-- ARGV[2]  token
-- ARGV[3]  TTL of the lock's key in milliseconds: that of the lease, and for as long as it lingers
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a lock's key lingers in microseconds, see quarantine.lua; 0 to trust this node's memory
-- ARGV[6]  see ended.lua
-- ARGV[7]  how many names
-- ARGV[8]  last token: the lease may use those from the token to this one
-- ARGV[9]  how far the token may be from this node's clock in microseconds
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     granted, see there
--   {2, ms, _}    another owner has it, for so long if not renewed
--   {16, ms, _}   the lease of another owner has ended, or lasts too long, if this node's clock is right at this
--                 moment, in milliseconds
--   {3, token, _} this token or a larger one was granted before
--   {15, ms, _}   the token is so far ahead of this node's clock, or behind if negative, that tokens might fall
--   {6, 0, _}     the birth mark or the heartbeat is gone: this node may have forgotten locks
--   {7, ms, _}    in quarantine for so long: this node may have forgotten locks
--
-- A token that was drawn by a wrong clock, or long ago, must not be recorded. Every caller that meets a token that is
-- ahead would exceed it. After one that is behind, the next token might be smaller than one that was granted before and
-- is forgotten since.
--
-- One script, because between the check and the grant another owner could take the lock. An owner that has the lock
-- already may send its request again with the same token: the node may have granted the first one, and the reply was
-- lost.

local ahead = ARGV[2] - now
if math.abs(ahead) > tonumber(ARGV[9]) then
  return {15, ahead / 1000, now}
end

local lingerMicros = tonumber(ARGV[5])
local keys = 2 * ARGV[7]
local known = {} -- what stands again if this is undone
local missing = {}
local ttl = tonumber(ARGV[3])
local longest = 0
local moment = 0
for i = 1, keys, 2 do
  local owner, left, value = readLock(KEYS[i], ARGV[1])
  if owner == ARGV[1] then
    known[i] = string.match(value, '^%d+ (%d+)')
    ttl = math.max(ttl, redis.call('PTTL', KEYS[i])) -- sent again, perhaps by a clock that is behind for a moment
  elseif not owner then
    missing[i] = true
  else
    local held, unsure = lockHeldFor(KEYS[i], KEYS[i + 1], left, value, lingerMicros)
    longest = math.max(longest, held)
    moment = math.max(moment, unsure)
  end
end
local refusal = refusalOf(longest, moment)
if refusal then
  if keys > 2 and lingerMicros > 0 then
    heartbeat() -- another name may be gone: see lock.lua
  end
  return refusal
end

refusal = forgotten(lingerMicros)
if refusal then
  return refusal
end

local token = tonumber(ARGV[2])
local largest = 0
for i = 1, keys, 2 do
  local last, lease, ends = tokens(KEYS[i + 1])
  if missing[i] then
    local held, unsure = missingHeldFor(KEYS[i + 1], last, lease, ends, lingerMicros)
    longest = math.max(longest, held)
    moment = math.max(moment, unsure)
  end
  last = tonumber(last)
  if token <= last and not (known[i] and tonumber(ARGV[8]) >= last) then
    largest = math.max(largest, last)
  end
  known[i] = known[i] or lease
end
refusal = refusalOf(longest, moment)
if refusal then
  return refusal
end
if largest > 0 then
  return {3, largest, now}
end

local fence = ARGV[8]
if lingerMicros > 0 then
  fence = fence .. ' ' .. fence .. ' ' .. millis + ttl - math.ceil(lingerMicros / 1000)
end
for i = 1, keys, 2 do
  redis.call('SET', KEYS[i], ARGV[5] .. ' ' .. known[i] .. ' ' .. ARGV[1], 'PX', ttl)
  redis.call('SET', KEYS[i + 1], fence, 'PX', ARGV[4])
end
