-- Comes after clock.lua and before a script that must not count on what this node may have forgotten.
--
-- last but one of KEYS  heartbeat: gone early if this node's clock went ahead and came back, or if keys were evicted or deleted
-- last of KEYS          birth mark: begins with the moment since when this node's memory is whole, and that of the last look at
--                       it, in microseconds

-- Redis expires with a resolution of 1 ms, by a clock that it reads a little earlier.
local grain = 20000

-- A look that is later than this clock shows one that came back; two clients' looks differ by less.
local future = 500000

-- Returns what a script has to return that must not count on what is not there, or nothing.
local function forgotten(memory)
  if memory == 0 then
    return
  end
  local since, seen = string.match(redis.call('GETRANGE', KEYS[#KEYS], '0', '40'), '^(%d+) (%d+)')
  if not since then
    return {6, 0, now}
  end
  local age = now - seen
  if age < -future or age < memory - grain and redis.call('GETRANGE', KEYS[#KEYS - 1], '0', '0') == '' then
    return {6, 0, now}
  end
  local whole = since + memory
  if now < whole then
    return {7, (whole - now) / 1000, now}
  end
end

