-- Renews leases of one name each, one after the other: what comes of one changes nothing for the others. Comes after
-- renew.lua.
--
-- KEYS[1], KEYS[2]   lock and fence of the first lease; then the same two of the second lease, and so on
-- last two of KEYS   heartbeat and birth mark, see quarantine.lua
-- ARGV[1] to [4]     owner, last token and the two TTLs of the first lease, see renew.lua
-- ARGV[5]            how long a lock's key lingers, of all leases, see renew.lua
-- ARGV[6]            0: the caller has not compared this node's clock with its own, see ended.lua
-- ARGV[7]            how many leases
-- then               the same four as above, of the second lease, and so on
--
-- Returns a list of what renew.lua returns for each lease, or of the error that it ended with.

local granted = {1, 0, now}
local linger = math.ceil(ARGV[5] / 1000)

-- Renews a lease as `renew` does, and returns whether it has: most are on record as their last renewal has left them,
-- and what the other cases need costs as much as half of this.
local function renewUsual(lock, fence, owner, token, lockTtl, fenceTtl)
  local known = redis.call('GET', fence)
  local tokens = linger > 0 and token .. ' ' .. token .. ' ' or token
  local former = known and string.sub(known, 1, #tokens) == tokens and string.sub(known, #tokens + 1)
  if not former or not string.match(former, linger > 0 and '^%d+$' or '^$')
      or redis.call('GET', lock) ~= ARGV[5] .. ' ' .. token .. ' ' .. owner then
    return
  end
  local ttl = tonumber(lockTtl)
  local left = redis.call('PTTL', lock)
  redis.call('PEXPIRE', lock, math.max(ttl, left)) -- first, since it needs no memory
  local kept = math.max(redis.call('PTTL', fence), tonumber(fenceTtl))
  if linger == 0 then
    redis.call('PEXPIRE', fence, kept)
    return granted
  end
  local ends = millis + math.max(ttl, left) - linger
  if left > ttl then
    ends = math.max(ends, tonumber(former))
  end
  redis.call('SET', fence, tokens .. ends, 'PX', kept)
  return granted
end

local replies = {}
local first = 1
for i = 1, tonumber(ARGV[7]) do
  local lock, fence = KEYS[2 * i - 1], KEYS[2 * i]
  local owner, token, lockTtl, fenceTtl = ARGV[first], ARGV[first + 1], ARGV[first + 2], ARGV[first + 3]
  local usual, granting = pcall(renewUsual, lock, fence, owner, token, lockTtl, fenceTtl)
  if usual and granting then
    replies[i] = granting
  else -- an error comes again, if it is one
    local lease = {owner, token, lockTtl, fenceTtl, ARGV[5], ARGV[6], 1, '0'}
    local done, reply = pcall(renew, {lock, fence}, lease)
    replies[i] = (done or type(reply) == 'table') and reply or {err = reply}
  end
  first = i == 1 and 8 or first + 4
end
return replies
