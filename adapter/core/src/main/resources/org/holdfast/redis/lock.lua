-- Comes before every script that looks at locks.
--
-- A lock's key holds the moment in milliseconds at which its lease ends; what the fence is to be if this grant is undone; and the
-- owner, or while it is read the word "readers" and the last token before. The key itself lingers for as long as a forgotten lock
-- may last: were the lock gone from memory as soon as it has ended, a clock that goes ahead and comes back before any client looks
-- would leave nothing behind of locks that are in force still. What lingers keeps nobody out.
--
-- Why a grant that is undone puts the fence back: an attempt that too few nodes grant is undone on those that did. If its token
-- stayed there as the last one, the present holder, whose token is smaller, could never be healed on such a node, and lost its
-- lease when others go: one waiter was enough. Why the fence may fall by that:
--   No lease was ever held with the token of an attempt that is undone. What the fence is put back to is what it was before the
--   attempt, and all that had to be on record since: a tombstone that comes while the lock is held raises that as well, and a lease
--   that is renewed, or a reader that nobody has undone, has its own token there.
--   An attempt is undone without a tombstone only behind it on the same connection, or after its answer. So nothing of it is under
--   way to that node any more. Where its answer is missing it leaves a tombstone, which stays. Should something between us and
--   the node send the attempt twice, and the second time after that, a lock is taken for one TTL that nobody has: as after any
--   attempt whose client has gone. It keeps others out, and lets nobody in.
--
-- Leaves what the scripts after it use: `now` and `millis`, this node's clock in microseconds and in milliseconds; and functions.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local millis = math.floor(now / 1000)

-- Returns who has a lock, and for how many milliseconds more, 0 or less if its lease has ended; what its fence is to be if that is
-- undone, and when it ends. Or nothing. What was not written by a script of ours is in force as long as it is there.
local function look(key)
  local value = redis.call('GET', key)
  if not value then
    return
  end
  local ends, before, owner = string.match(value, '^(%d+) (%d+) (.*)$')
  if ends then
    return owner, ends - millis, before, ends
  end
  return value, math.max(redis.call('PTTL', key), 1)
end

-- Gives a lock to an owner for so many milliseconds, after which its key lingers for so many more.
local function write(key, owner, ttl, linger, before)
  redis.call('SET', key, millis + ttl .. ' ' .. before .. ' ' .. owner, 'PX', ttl + linger)
end

-- Ends a lock of another no later than any lease can: the clock was set back since it was granted. Returns the time left.
local function cut(key, owner, left, before, linger)
  if linger == 0 or left <= linger then
    return left
  end
  redis.call('PEXPIRE', key, linger) -- first, since it needs no memory
  if before then
    write(key, owner, linger, linger, before)
  end
  return linger
end

-- Has a tombstone stay if the grant of the one who has the lock now is undone.
local function keep(key, owner, before, ends, grave)
  if before and tonumber(before) < tonumber(grave) then
    redis.call('SET', key, ends .. ' ' .. grave .. ' ' .. owner, 'KEEPTTL')
  end
end

-- Puts the fence back to what it is to be when a grant is undone.
local function restore(fence, before, ttl)
  if tonumber(before) >= tonumber(redis.call('GET', fence) or '0') then
    return
  end
  if before == '0' then
    redis.call('DEL', fence)
  else
    redis.call('SET', fence, before, 'PX', ttl)
  end
end

