-- Comes after time.lua and lock.lua, and before a script that reports the holders of locks.
--
-- KEYS[1], KEYS[2]  lock and fence, see lock.lua. Then the same two of the second lock, and so on
-- next of KEYS      heartbeat, see quarantine.lua; where there is none, any key
-- rest of KEYS      readers of the first lock: each owner with the moment in milliseconds at which its lease expires,
--                   and each that has released its lease with less than zero; then those of the others. Permits have
--                   none
-- ARGV[1]  how many locks
--
-- Leaves what the script after it uses: `locks`, how many; `holders`, a list that is empty at first; `tell`, which adds
-- the holders of the lock with this number to it; and `last`, which returns the last token on record for that lock.
--
-- Each holder is {lock, counted from 0; 1 for a reader, else 0; what is written as its owner; for how many milliseconds
-- more, or 0 if that never ends}. Any client may have written any value there. It is reported unchanged, but only 256
-- bytes of it, and only of 1000 holders, so that the reply is never large.
local locks = tonumber(ARGV[1])
local holders = {}
redis.call('GET', KEYS[2 * locks + 1]) -- see lock.lua

local function add(lock, reads, value, left)
  if #holders < 1000 then
    holders[#holders + 1] = {lock - 1, reads, string.sub(value, 1, 256), math.max(left, 0)}
  end
end

local function tell(lock)
  local key = KEYS[2 * lock - 1]
  local value = redis.call('GETRANGE', key, 0, 300)
  if value == '' then
    return
  end
  local lingers, owner = string.match(value, '^(%d+) %d+ (.*)$')
  local left = redis.call('PTTL', key) - math.ceil((lingers or 0) / 1000)
  if owner and left <= 0 then
    return -- it lingers
  end
  value = owner or value
  local readers = {}
  if KEYS[2 * locks + 1 + lock] and string.match(value, '^readers %d+') then
    readers = redis.call('ZRANGEBYSCORE', KEYS[2 * locks + 1 + lock], '(' .. millis, '+inf', 'WITHSCORES', 'LIMIT', 0, 1000)
    for i = 1, #readers, 2 do
      add(lock, 1, readers[i], readers[i + 1] - millis)
    end
  end
  if #readers == 0 then
    add(lock, 0, value, left)
  end
end

local function last(lock)
  return tonumber((tokens(KEYS[2 * lock]))) or 0
end

