-- Comes before every script that looks at locks.
--
-- A lock's key holds for how many microseconds it lingers after the end of its lease; the last token of a lease, as it is to stand
-- again if this grant is undone; and the owner. While it is read it holds, instead of the owner, the word "readers", the last token
-- before the reading began, and the last one of a lease before. The key lingers for as long as a forgotten lock may last: were the
-- lock gone from memory as soon as it has ended, a clock that goes ahead and comes back before any client looks would leave nothing
-- behind of locks that are in force still. What lingers keeps nobody out.
--
-- A fence holds the last token: nothing smaller is granted. It lingers as a lock does, for the same reason. Where the last one is that of an attempt which was undone, it also
-- holds, behind a blank, the last one of a lease: nothing smaller is healed. Were they one number, the attempt of a waiter that a
-- node has granted alone, and undone, would keep the present holder from ever being healed there, whose token is smaller; and it
-- would lose its lease when the other nodes go. Why a holder may be healed over the token of an attempt that was undone:
--   No lease was ever held with it, and nothing but its acquisition can be under way of it, which the last token refuses.
--   A grant counts as that of a lease until it is undone. What stands again then is what stood before it, raised by the tombstones
--   of leases that have come meanwhile; and if it was renewed it is not undone.
--
-- Redis deletes a key that has expired when it is looked at. If this node's clock is ahead for a moment only, that may be a lock in
-- force; the heartbeat has expired too then, since no lock in force ends before it. So a script that finds a lock gone, and does not
-- ask memory.lua, looks at the heartbeat as well: they go together, and later grants see that one is missing.
--
-- Leaves functions for the scripts after it. What they need of a free lock and of an owner's own comes first and is cheap: every
-- acquisition and every release passes here.

-- Returns the owner of a lock; for how many milliseconds more, 0 or less if its lease has ended; and all that its key holds. Or
-- nothing. For the owner that asks, which may have it as long as it is there, it is not needed for how long. An owner begins with
-- a random number: no other one's text ends with it. What was not written by a script of ours is in force as long as it is there.
local function look(key, asking)
  local value = redis.call('GET', key)
  if not value then
    return
  end
  if asking and string.sub(value, -#asking) == asking then
    return asking, math.huge, value
  end
  local lingers, owner = string.match(value, '^(%d+) %d+ (.*)$')
  if not owner then
    return value, math.max(redis.call('PTTL', key), 1), ''
  end
  return owner, redis.call('PTTL', key) - math.ceil(lingers / 1000), value
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

