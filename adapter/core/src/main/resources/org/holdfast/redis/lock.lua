-- Comes before every script that reads locks.
--
-- A lock's key holds for how many microseconds it lingers after the end of its lease; the last token of a lease, as it
-- is to stand again if this grant is undone; and the owner. While it is read it holds, instead of the owner, the word
-- "readers", the last token before the reading began, and the last one of a lease before. The key lingers for as long
-- as a forgotten lock may last. If it expired with the lease, a clock that jumps ahead, and back before any client
-- checks it, would leave no trace of locks that are still in force. A lock that lingers refuses no owner.
--
-- A fence holds the last token: nothing smaller is granted. It lingers as a lock does, for the same reason. Where the last
-- token is that of an attempt which was undone, the fence also holds, behind a blank, the last token of a lease: nothing smaller
-- is healed. With one number for both, the present holder, whose token is smaller, could never be healed on a node that
-- alone has granted a waiter's attempt, and has undone it. The holder would lose its lease when the other nodes fail.
-- Why a holder may be healed over the token of an attempt that was undone:
--   No lease was ever held with that token. Of its requests only the acquisition can still be under way, and the last
--   token refuses that.
--   A grant counts as that of a lease until it is undone. What stands again then is what stood before it, raised by the
--   tombstones of leases that have come meanwhile; and if it was renewed it is not undone.
--
-- Redis deletes an expired key when it is read. If this node's clock is ahead for a moment only, that may be a lock in
-- force. Then the heartbeat has expired too, since no lock in force ends before it. So a script that finds a lock gone,
-- and does not use quarantine.lua, reads the heartbeat as well: Redis deletes both, and later grants see that the
-- heartbeat is missing.
--
-- Leaves functions for the scripts after it. The cases of a free lock and of an owner's own lock come first and are
-- cheap: every acquisition and every release passes here.

-- Returns the owner of a lock; for how many milliseconds more it has the lock, 0 or less if its lease has ended; what
-- the key holds of it; and the lines before that, of what it has taken over, see takeover.lua. Returns nothing if there
-- is no key. For the asking owner the time is not needed: it may have the lock as long as the key is there. An owner
-- begins with a random number, so no other owner's text ends with it. A value that no script of ours has written is in
-- force as long as it is there.
local function readLock(key, asking)
  local value = redis.call('GET', key)
  if not value then
    return
  end
  local over = ''
  if string.find(value, '\n', 1, true) then
    over, value = string.match(value, '^(.*\n)(.*)$')
  end
  if asking and string.sub(value, -#asking) == asking then
    return asking, math.huge, value, over
  end
  local lingers, owner = string.match(value, '^(%d+) %d+ (.*)$')
  if not owner then
    return value, math.max(redis.call('PTTL', key), 1), '', ''
  end
  return owner, redis.call('PTTL', key) - math.ceil(lingers / 1000), value, over
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

-- Returns of what is taken over only readings, and what may have been one, with an end after this moment. A lease that is
-- exclusive proves that all before it were over. A reader's lease does not: others may read beside it.
local function readings(over, latest)
  return (string.gsub(over, '(%d+) %d+ %d+ ([^\n]*)\n', function(expires, owner)
    if tonumber(expires) <= latest or owner ~= 'forgotten' and not string.find(owner, '^readers %d+ %d+$') then
      return ''
    end
  end))
end
