-- Comes after time.lua and before a script that must not rely on what this node may have forgotten.
--
-- last but one of KEYS  heartbeat: since when this node's memory is whole, and when it was looked at last, in microseconds. It is
--                       gone early if the clock went ahead and came back, or if keys were evicted or deleted
-- last of KEYS          birth mark: begins with the same two numbers

-- Redis expires with a resolution of 1 ms, by a clock that it reads a little earlier.
local grain = 20000

-- A look that is so much later than this clock shows one that was set back.
local future = 500000

-- A lock's key lingers for so much longer than a forgotten lock may last. The heartbeat of a look ends half a second
-- before a key that lingers since then: also where the clock was ahead by less than that at the look. And no lease is in
-- force when it ends by itself: leases are granted up to three and a half seconds after the last look that was noted.
local margin = 5500000

-- Returns how long a forgotten lock may last, in microseconds.
local function quarantineOf(lingerMicros)
  return math.max(lingerMicros - margin, 0)
end

-- A clock for which a client has vouched may have been set back since: this is as long ago as that may be.
local vouchedAgo = 5000

-- Returns for how many milliseconds more another owner has a lock, 0 if it has it no more; and the moment for which the
-- caller has to vouch before this is certain, 0 if it is.
--
-- A lease that has ended by this clock may be in force, if the clock is ahead for a moment. The moment is rounded up: this
-- clock may be read a little later each time. A lock that lasts longer than any lease was granted before the clock was set
-- back, or the clock is behind for a moment: it is cut if the caller vouches for the clock as it is now.
local function heldFor(key, left, value, lingerMicros)
  local longest = math.ceil(quarantineOf(lingerMicros) / 1000)
  if lingerMicros == 0 or left > 0 and left <= longest + vouchedAgo then
    return math.max(left, 0), 0
  end
  local vouched = tonumber(ARGV[6])
  if left <= 0 then
    local ended = millis + left
    return 0, ended > vouched and ended + 2 or 0
  end
  if vouched > millis or vouched < millis - vouchedAgo then
    return 0, millis
  end
  redis.call('PEXPIRE', key, longest + vouchedAgo + math.ceil((string.match(value, '^%d+') or 0) / 1000))
  return longest + vouchedAgo, 0
end

-- Returns for how many milliseconds more a lease is in force whose lock is missing, by the moment in its fence; 0 if it
-- is not. A moment that is further away than any lease lasts is older than a quarantine: the clock was set back since.
local function inForce(ends, lingerMicros)
  local left = ends and lingerMicros > 0 and ends - millis or 0
  return left > 0 and left <= math.ceil(quarantineOf(lingerMicros) / 1000) and left or 0
end

-- Returns the refusal of a script that must not rely on missing keys; nothing if it may rely on them. Reads the longer
-- mark only where the heartbeat is gone: perhaps no client has inspected this node for so long.
local function forgotten(lingerMicros)
  if lingerMicros == 0 then
    return
  end
  local beat = redis.call('GET', KEYS[#KEYS - 1])
  local since, seen = string.match(beat or redis.call('GETRANGE', KEYS[#KEYS], '0', '40'), '^(%d+) (%d+)')
  if not since then
    return {6, 0, now}
  end
  local age = now - seen
  if age < -future or not beat and age < lingerMicros - 2 * future - grain then
    return {6, 0, now}
  end
  local whole = since + quarantineOf(lingerMicros)
  if now < whole then
    return {7, (whole - now) / 1000, now}
  end
end

