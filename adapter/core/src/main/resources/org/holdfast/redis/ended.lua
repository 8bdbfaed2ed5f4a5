-- Comes after time.lua, quarantine.lua and lock.lua, and before a script that may take a lock of another owner whose
-- lease has ended.
--
-- ARGV[6]  the moment in milliseconds at which the caller has found this node's clock right, see lock.lua; 0 for none

-- A clock that was found right may have been set back since, while the command was under way: so no earlier moment
-- counts.
local longestUnderWay = 5000

-- Returns for how many milliseconds more another owner has a lock whose lease has so many left, 0 if it has it no more;
-- and the moment at which the caller has to find this clock right before that is certain, 0 if it is.
--
-- A lease that has ended by this clock may be in force, if the clock is ahead for a moment. A lock that lasts longer
-- than any lease was granted before the clock was set back, or the clock is behind for a moment: where the clock is
-- right it has the longest lease left at the most.
local function heldFor(left, lingerMicros)
  local longest = math.ceil(quarantineOf(lingerMicros) / 1000) + longestUnderWay
  if lingerMicros == 0 or left > 0 and left <= longest then
    return math.max(left, 0), 0
  end
  local right = tonumber(ARGV[6])
  if right > millis or right < millis - longestUnderWay or millis + left > right + 2 and left <= 0 then
    return 0, millis
  end
  if left > 0 and isBehind() then
    return left, 0 -- after all, and the command was late
  end
  return left > 0 and longest or 0, 0
end

-- Lets the lease that a fence has on record end when so many milliseconds have passed.
local function endIn(held, fence, last, lease)
  redis.call('SET', fence, last .. ' ' .. lease .. ' ' .. millis + held, 'KEEPTTL')
end

-- Returns the same for a lock whose key has this value, and cuts a key that lasts too long.
local function lockHeldFor(key, fence, left, value, lingerMicros)
  local held, moment = heldFor(left, lingerMicros)
  if held > 0 and held < left then
    redis.call('PEXPIRE', key, held + math.ceil((string.match(value, '^%d+') or 0) / 1000))
    local last, lease, ends = tokens(fence)
    if ends and ends > millis + held then
      endIn(held, fence, last, lease)
    end
  end
  return held, moment
end

-- Returns what a script returns for names of which one is held for so long, and one needs a clock that is right at this
-- moment; nothing if none is. A caller that has not found the clock right yet does so first: what lasts too long is
-- cut for all names at once.
local function refusalOf(held, moment)
  if held > 0 and (moment == 0 or ARGV[6] ~= '0') then
    return {2, held, now}
  end
  return moment > 0 and {16, moment, now} or nil
end

-- Returns the same for a lock whose key is missing, by what its fence holds. After as long as keys linger it is not
-- known any more whether the key was deleted or has expired.
local function missingHeldFor(fence, last, lease, ends, lingerMicros)
  local left = ends and lingerMicros > 0 and ends - millis
  if not left or left <= -math.ceil(lingerMicros / 1000) then
    return 0, 0
  end
  local held, moment = heldFor(left, lingerMicros)
  if held > 0 and held < left then
    endIn(held, fence, last, lease)
  end
  return held, moment
end

