-- Comes after lock.lua and fence.lua, and before a script that may undo a grant over a lock that lingers: see
-- takeover.lua.

-- Makes the lock that was taken over last stand again, of those that have not expired. Comes after something that needs no
-- memory: see release.lua.
local function putBack(key, over, millis)
  local others, expires, value = string.match(over, '^(.-)(%d+) ([^\n]*)\n$')
  while expires and tonumber(expires) <= millis do
    others, expires, value = string.match(others, '^(.-)(%d+) ([^\n]*)\n$')
  end
  if expires then
    redis.call('SET', key, others .. value, 'PX', expires - millis)
  end
end

-- Returns what is taken over, without the lock of this owner, which it has released. No token of a lease that is
-- smaller than its tombstone stands again by it.
local function strike(over, owner, tombstone)
  return (string.gsub(over, '(%d+ %d+ )(%d+) ([^\n]*)\n', function(head, before, other)
    return other == owner and '' or head .. larger(before, tombstone) .. ' ' .. other .. '\n'
  end))
end

