-- Tells who has locks. Comes after holders.lua, with the same KEYS and ARGV.
--
-- Returns {14, token, clock of this node in microseconds, holders}: the largest token on record for any of these locks, and
-- who has them, as holders.lua tells it. Nothing is changed.
local largest = 0
for lock = 1, locks do
  tell(lock)
  largest = math.max(largest, last(lock))
end
return {14, largest, now, holders}
