-- Comes before every script that looks at locks.
--
-- A lock's key holds the moment in milliseconds at which its lease ends, a blank, and the owner; or the word "readers" and the
-- last token before instead of the owner, while it is read. The key itself lingers for as long as a forgotten lock may last:
-- were the lock gone from memory as soon as it has ended, a clock that goes ahead and comes back before any client looks would
-- leave nothing behind of locks that are in force still. What lingers keeps nobody out.
--
-- Leaves what the scripts after it use: `now` and `millis`, this node's clock in microseconds and in milliseconds; `look`, and
-- `write`.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local millis = math.floor(now / 1000)

-- Returns whose lease a lock was given to last, and for how many milliseconds more it is in force, 0 or less if it has ended;
-- or nothing. What was not written by a script of ours is in force as long as it is there.
local function look(key)
  local value = redis.call('GET', key)
  if not value then
    return
  end
  local ends, owner = string.match(value, '^(%d+) (.*)$')
  if ends then
    return owner, ends - millis
  end
  return value, math.max(redis.call('PTTL', key), 1)
end

-- Gives a lock to an owner for so many milliseconds, after which its key lingers for so many more.
local function write(key, owner, ttl, linger)
  redis.call('SET', key, millis + ttl .. ' ' .. owner, 'PX', ttl + linger)
end

