-- Comes before every script that looks at locks.
--
-- A lock's key holds for how many microseconds it lingers after the end of its lease; the last token of a lease, as it is to stand
-- again if this grant is undone; and the owner. While it is read it holds, instead of the owner, the word "readers", the last token
-- before the reading began, and the last one of a lease before. The key lingers for as long as a forgotten lock may last: were the
-- lock gone from memory as soon as it has ended, a clock that goes ahead and comes back before any client looks would leave nothing
-- behind of locks that are in force still. What lingers keeps nobody out.
--
-- A fence holds the last token: nothing smaller is granted. Where the last one is that of an attempt which was undone, it also
-- holds, behind a blank, the last one of a lease: nothing smaller is healed. Were they one number, the attempt of a waiter that a
-- node has granted alone, and undone, would keep the present holder from ever being healed there, whose token is smaller; and it
-- would lose its lease when the other nodes go. Why a holder may be healed over the token of an attempt that was undone:
--   No lease was ever held with it, and nothing but its acquisition can be under way of it, which the last token refuses.
--   A grant counts as that of a lease until it is undone. What stands again then is what stood before it, raised by the tombstones
--   of leases that have come meanwhile; and if it was renewed it is not undone.
--
-- Leaves what the scripts after it use: `now` and `millis`, this node's clock in microseconds and in milliseconds; and functions.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local millis = math.floor(now / 1000)

-- Returns who has a lock, and for how many milliseconds more, 0 or less if its lease has ended; what stands again if that is
-- undone, and for how many microseconds the key lingers. Or nothing. For the owner in ARGV[1], which may have it as long as it is
-- there, nobody needs to know for how long. What was not written by a script of ours is in force as long as it is there.
local function look(key)
  local value = redis.call('GET', key)
  if not value then
    return
  end
  local lingers, before, owner = string.match(value, '^(%d+) (%d+) (.*)$')
  if not owner then
    return value, math.max(redis.call('PTTL', key), 1)
  end
  if owner == ARGV[1] then
    return owner, math.huge, before, lingers
  end
  return owner, redis.call('PTTL', key) - math.ceil(lingers / 1000), before, lingers
end

-- Returns the last token on record, and the last one of a lease.
local function tokens(fence)
  local value = redis.call('GET', fence) or '0'
  if not string.find(value, ' ', 1, true) then
    return value, value
  end
  local last, lease = string.match(value, '^(%d+) (%d+)$')
  return last or value, lease or value
end

