-- Finds a permit that no owner has. Comes after time.lua and lock.lua.
--
-- KEYS          a lock for each permit
-- last of KEYS  heartbeat, see quarantine.lua, if there is one
-- ARGV[1]  with which of them to begin, counted from 0
-- ARGV[2]  how many permits
-- ARGV[3]  how long a lock's key lingers in microseconds, see quarantine.lua; 0 to trust this node's memory
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {13, n, _}    this one is free, counted from 0
--   {2, ms, _}    all are taken; the first of them to expire does so after so long, if it is not renewed
local shortest = math.huge
local ended
local permits = tonumber(ARGV[2])
local lingerMicros = tonumber(ARGV[3])
local longest = lingerMicros > 0 and math.ceil(lingerMicros / 1000) or math.huge
for i = 0, permits - 1 do
  local permit = (ARGV[1] + i) % permits
  local owner, left = readLock(KEYS[permit + 1])
  if not owner then
    if #KEYS > permits then
      redis.call('TIME') -- see shard.lua
      redis.call('GET', KEYS[#KEYS]) -- see lock.lua
    end
    return {13, permit, now}
  end
  if left <= 0 or left > longest then
    ended = ended or permit -- it goes to an owner whose client has found this clock right: see ended.lua
  else
    shortest = math.min(shortest, left)
  end
end
return ended and {13, ended, now} or {2, shortest, now}
