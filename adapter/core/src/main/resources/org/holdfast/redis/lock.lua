-- Comes before every script that reads locks.
--
-- A lock's key holds for how many microseconds it lingers after the end of its lease; the last token of a lease, as it
-- is to stand again if this grant is undone; and the owner. While it is read it holds, instead of the owner, the word
-- "readers", the last token before the reading began, and the last one of a lease before. The key lingers for as long
-- as a forgotten lock may last. If it expired with the lease, a clock that jumps ahead, and back before any client
-- checks it, would leave no trace of locks that are still in force.
--
-- A lock that lingers may be in force: this node's clock may be ahead for a moment. So it goes to another owner only
-- where that owner's client has found this clock right. To a client that has not, a script reports the moment by this
-- clock. The client compares it with its own clock, and sends its request again with that moment. So no lock in force
-- is ever overwritten, whatever this clock shows. Nor does it end early: while this clock is behind for a moment, no
-- renewal makes a lock shorter than it was.
--
-- A fence holds the last token: nothing smaller is granted. Behind it stands the last token of a lease: nothing smaller
-- is healed. They differ where the last token is that of an attempt which was undone. With one number for both, the
-- present holder, whose token is smaller, could never be healed on a node that alone has granted a waiter's attempt,
-- and has undone it. The holder would lose its lease when the other nodes fail. Why a holder may be healed over the
-- token of an attempt that was undone:
--   No lease was ever held with that token. Of its requests only the acquisition can still be under way, and the last
--   token refuses that.
--   A grant counts as that of a lease until it is undone. What stands again then is what stood before it, raised by the
--   tombstones of leases that have come meanwhile; and if it was renewed it is not undone.
--
-- Behind the tokens a fence holds until which moment the last lease is in force, in milliseconds; no moment if that was
-- released. Where the lock's key is missing before that moment, it was deleted, by whatever cause: the lock is granted
-- to no other owner before then. A fence lingers as a lock does, for the same reason.
--
-- Redis deletes an expired key when it is read. If this node's clock is ahead for a moment only, that may be a lock in
-- force. Then the heartbeat has expired too, since no lock in force ends before it. So a script that finds a lock gone,
-- and does not use quarantine.lua, reads the heartbeat as well: Redis deletes both, and later grants see that the
-- heartbeat is missing.
--
-- Leaves functions for the scripts after it. The cases of a free lock and of an owner's own lock come first and are
-- cheap: every acquisition and every release passes here.

-- Returns the owner of a lock; for how many milliseconds more it has the lock, 0 or less if its lease has ended by this
-- clock; and the value of the key. Returns nothing if there is no key. For the asking owner the time is not needed: it
-- may have the lock as long as the key is there. An owner begins with a random number, so no other owner's text ends
-- with it. A value that no script of ours has written is in force as long as it is there.
local function readLock(key, asking)
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

-- Returns the last token on record; the last one of a lease; and the moment until which that is in force, or nothing if
-- it was released.
local function tokens(fence)
  local value = redis.call('GET', fence)
  if not value then
    return '0', '0'
  end
  local last, lease, ends = string.match(value, '^(%d+) ?(%d*) ?(%d*)$')
  if not last then
    return value, value
  end
  return last, lease == '' and last or lease, tonumber(ends)
end

