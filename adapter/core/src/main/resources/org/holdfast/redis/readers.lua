-- Comes after time.lua, and before a script that changes for how long a lock is read.
--
-- The lock's key ends with the reader whose lease ends last. So each change keeps to that: a key that lasts longer than
-- all entries of readers shows that active expiry has deleted such an entry while the clock was ahead.
--
-- A node may stand still in the middle of a script. Up to Redis 7.0 a TTL counts from the command that reads it or sets
-- it, and not from this script's look at the clock. So keys get their end as a moment, as the entries do, and a moment
-- that follows from a TTL is never too early.

-- For how many milliseconds a key may outlive the entries for no reason but the time that commands take.
local grain = 20

-- Returns the moment at which something ends that had so many milliseconds left in a command before this one.
local function momentAfter(left)
  local seen = redis.call('TIME')
  return math.floor(seen[1] * 1000 + seen[2] / 1000) + left
end

-- Sets a key that ends at a moment. It has a TTL before the node learns the moment: a user who may not use PEXPIREAT
-- leaves no key that stays for ever. So the set of readers needs its TTL before: it has one that counts from a command,
-- and may outlast the lock a little, which no script relies on.
local function setUntil(key, value, ends)
  redis.call('SET', key, value, 'PX', ends - millis)
  redis.call('PEXPIREAT', key, ends)
end

-- Returns when the lease ends whose entry was deleted, or nothing if there is none: the lock is read until `keptUntil`,
-- one reader's entry had the end `known` or 0, and the latest end of those that are there is `latest`, 0 or less for
-- none.
local function endOfDeleted(key, linger, keptUntil, known, latest)
  local bound = math.max(known, latest) + grain
  if keptUntil > bound then
    local left = redis.call('PTTL', key)
    if left > 0 then
      keptUntil = momentAfter(left - linger) -- exact now, if this node stood still after its look at the TTL
    end
  end
  return keptUntil > bound and keptUntil or nil
end
