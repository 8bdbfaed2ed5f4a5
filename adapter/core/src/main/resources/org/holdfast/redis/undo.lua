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

-- Returns what is taken over, without the lock of this owner, which it has released; and the token that is to stand if the
-- grant over these lines is undone, where `before` is what was to stand so far. No token of a lease that is smaller than its
-- tombstone stands again by it. If the owner has only attempted, with tokens up to `attempted`, that one does not stand again
-- either, but what stood before it.
local function strike(over, owner, tombstone, before, attempted)
  local instead -- what stood before the attempt that was struck last
  local others = string.gsub(over, '(%d+ %d+ )(%d+) ([^\n]*)\n', function(head, stood, other)
    if instead and tonumber(stood) == attempted then
      stood = instead
    end
    instead = nil
    if other == owner then
      instead = attempted and stood
      return ''
    end
    return head .. larger(stood, tombstone) .. ' ' .. other .. '\n'
  end)
  if instead and before and tonumber(before) == attempted then
    before = instead
  end
  return others, before
end

