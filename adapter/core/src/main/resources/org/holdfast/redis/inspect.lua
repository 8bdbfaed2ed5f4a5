-- Reports the holders of locks. Comes after holders.lua, with the same KEYS and ARGV.
--
-- Returns {14, token, clock of this node in microseconds, holders}: the largest token on record for any of these locks,
-- and their holders, in the form of holders.lua. Nothing is changed.
local largest = 0
for lock = 1, locks do
  tell(lock)
  largest = math.max(largest, last(lock))
end
return {14, largest, now, holders}
