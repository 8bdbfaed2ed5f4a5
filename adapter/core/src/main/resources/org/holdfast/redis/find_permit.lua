-- Finds a permit that nobody has. Comes after clock.lua and lock.lua.
--
-- KEYS     a lock for each permit
-- ARGV[1]  with which of them to begin, counted from 0
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {13, n, _}    this one is free, counted from 0
--   {2, ms, _}    all are taken, and one is free so late at the earliest if it is not renewed
local shortest = math.huge
for i = 0, #KEYS - 1 do
  local permit = (ARGV[1] + i) % #KEYS
  local owner, left = look(KEYS[permit + 1])
  if not owner or left <= 0 then
    return {13, permit, now}
  end
  shortest = math.min(shortest, left)
end
return {2, shortest, now}
