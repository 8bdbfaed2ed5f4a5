-- Leaves `renew`, which extends a lock that its owner has. It takes the lock again if no owner has it and no larger
-- token was granted since: that heals a node which missed the acquisition or lost the key. Comes after time.lua,
-- quarantine.lua, lock.lua, ended.lua and fence.lua, and before renew_one.lua or renew_many.lua.
--
-- KEYS[1], KEYS[2]   lock and fence, see lock.lua; the fence expires a retention and more after the lease has ended.
--                    Then the same two of the second name, and so on
-- last two of KEYS   heartbeat and birth mark, see quarantine.lua
-- ARGV[1]  owner
-- ARGV[2]  last token of the lease
-- ARGV[3]  TTL of the lock's key in milliseconds: that of the lease, and for as long as it lingers
-- ARGV[4]  TTL of the fence in milliseconds
-- ARGV[5]  how long a lock's key lingers in microseconds, see quarantine.lua; 0 to trust this node's memory
-- ARGV[6]  see ended.lua
-- ARGV[7]  how many names
-- ARGV[8]  if the lease may end earlier than so far, the earliest moment that this clock shows if it is not behind, in
--          milliseconds; else 0
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {1, 0, _}     extended
--   {2, ms, _}    another owner has it, for so long if not renewed
--   {16, ms, _}   the lease of another owner has ended, or lasts too long, if this node's clock is right at this
--                 moment, in milliseconds
--   {3, token, _} no owner has it, and a larger token was granted to a lease or this lease was released
--   {6, 0, _}     no owner has it, and the birth mark or the heartbeat is gone: this node may have forgotten locks, and
--                 heals nothing
--   {7, ms, _}    no owner has it, and this node is in quarantine for so long: it may have forgotten locks, and heals
--                 nothing
--
-- While the owner still has the lock, no larger token was ever granted over it: what is on record then is the tombstone
-- of a contender that gave up, which must neither end this lease nor be forgotten. While the key of an ended lease
-- lingers, its owner still has the lock: no other owner has taken it over.
--
-- Healing is safe even when the lease was about to expire: had another owner taken the lock since, every quorum would
-- contain a node with a larger token, and a released lease has left a token larger than its own. So it is where a lock
-- is missing that seems to be in force by its fence: a lease with a smaller token was over when this one was granted.

-- Its keys and arguments are those of one lease. The functions of the parts before it read those of the whole call.
local function renew(KEYS, ARGV)
  local lingerMicros = tonumber(ARGV[5])
  local keys = 2 * ARGV[7]
  local token = tonumber(ARGV[2])
  local missing = false
  local refused = 0
  local longest = 0
  local moment = 0
  local shortens = ARGV[8] ~= '0' and millis >= tonumber(ARGV[8])
  local ttls = {} -- no lease gets shorter by a clock that is behind for a moment
  local values = {}
  for i = 1, keys, 2 do
    local owner, left, value = readLock(KEYS[i], ARGV[1])
    ttls[i] = tonumber(ARGV[3])
    values[i] = value
    if owner == ARGV[1] then
      ttls[i] = shortens and ttls[i] or math.max(ttls[i], redis.call('PTTL', KEYS[i]))
    else
      missing = true
      if owner then
        local held, unsure = lockHeldFor(KEYS[i], KEYS[i + 1], left, value, lingerMicros)
        longest = math.max(longest, held)
        moment = math.max(moment, unsure)
      end
      local _, lease, ends = tokens(KEYS[i + 1])
      if token < tonumber(lease) then
        refused = math.max(refused, tonumber(lease))
      elseif ends and lease == ARGV[2] and not shortens then -- this lease, whose key is lost
        ttls[i] = math.max(ttls[i], ends - millis + math.ceil(lingerMicros / 1000))
      end
    end
  end
  local refusal = refusalOf(longest, moment)
  if refusal then
    if keys > 2 and lingerMicros > 0 then
      heartbeat() -- another name may be gone: see lock.lua
    end
    return refusal
  end

  refusal = missing and forgotten(lingerMicros)
  if refusal then
    return refusal
  end
  if refused > 0 then
    return {3, refused, now}
  end

  for i = 1, keys, 2 do
    local last, lease, former = tokens(KEYS[i + 1])
    lease = larger(lease, ARGV[2])
    -- first, since it needs no memory: so a lease is renewed on a full node too
    local kept = redis.call('PEXPIRE', KEYS[i], ttls[i]) == 1
    local ends = lingerMicros > 0 and millis + ttls[i] - math.ceil(lingerMicros / 1000)
    if ends and former and ttls[i] > tonumber(ARGV[3]) then
      ends = math.max(ends, former) -- the TTL was read later than the clock: see readers.lua
    end
    record(KEYS[i + 1], larger(last, lease), lease, ends, ARGV[4])
    local value = ARGV[5] .. ' ' .. lease .. ' ' .. ARGV[1]
    if not kept or values[i] ~= value then
      redis.call('SET', KEYS[i], value, 'PX', ttls[i]) -- a renewal is not undone
    end
  end
  return {1, 0, now}
end
