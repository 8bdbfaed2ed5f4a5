-- Comes after time.lua and before a script that must not rely on what this node may have forgotten.
--
-- last but one of KEYS  heartbeat: since when this node's memory is whole, and when it was looked at last, in
--                       microseconds. It is gone early if the clock went ahead and came back, or if keys were evicted
--                       or deleted. After a colon behind the first number: the moment up to which the clock was behind
--                       when that was written
-- last of KEYS          birth mark: begins with the same numbers

-- Redis expires with a resolution of 1 ms, by a clock that it reads a little earlier.
local grain = 20000

-- A look that is so much later than this clock shows one that was set back.
local future = 500000

-- A lock's key lingers for so much longer than a forgotten lock may last. The heartbeat of a look ends half a second
-- before a key that lingers since then: also where the clock was ahead by less than that at the look. And no lease is
-- in force when it ends by itself: leases are granted up to three and a half seconds after the last look that was
-- noted.
local margin = 5500000

-- Returns how long a forgotten lock may last, in microseconds.
local function quarantineOf(lingerMicros)
  return math.max(lingerMicros - margin, 0)
end

-- Returns the heartbeat, which is in another slot than the lock where this node is a shard: see shard.lua.
local function heartbeat()
  if not remembersSlot then
    return redis.call('GET', KEYS[#KEYS - 1])
  end
  redis.call('TIME')
  local beat = redis.call('GET', KEYS[#KEYS - 1])
  redis.call('TIME')
  return beat
end

-- Returns whether a client has looked at this node at a later moment than this clock shows now.
local function isBehind()
  local beat = heartbeat()
  return beat and now - string.match(beat, '%d+$') < -future
end

-- Returns the refusal of a script that must not rely on missing keys; nothing if it may rely on them. Reads the longer
-- mark only where the heartbeat is gone: perhaps no client has inspected this node for so long.
local function forgotten(lingerMicros)
  if lingerMicros == 0 then
    return
  end
  local beat = heartbeat()
  local since, behind, seen = string.match(beat or redis.call('GETRANGE', KEYS[#KEYS], '0', '60'), '^(%d+):?(%d*) (%d+)')
  if not since then
    return {6, 0, now}
  end
  local age = now - seen
  if behind ~= '' and now - behind >= 0 then
    return {6, 0, now} -- the quarantine has to begin anew, by a clock that is not behind
  end
  if age < -future or not beat and age < lingerMicros - 2 * future - grain then
    return {6, 0, now}
  end
  local whole = since + quarantineOf(lingerMicros)
  if now < whole then
    return {7, (whole - now) / 1000, now}
  end
end

