-- Finds, in a cluster, what this node knows of itself. Comes after time.lua and before a script that must not rely on
-- what this node may have forgotten. All keys that a call names must be in one slot, that of the lock; heartbeat and
-- birth mark of this node are in another one of its slots. So they come as arguments, and scripts without a shebang may
-- read them.
--
-- last but six of ARGV    the slot
-- last but five of ARGV   the slots of this node in which a script has run, a sorted set
-- last but four of ARGV   a key of that slot without a time to live: since when the node has all that was granted
--                         there, as far as it has seen itself, in milliseconds; the process that has it; and where
--                         that has listed the slot
-- last but three of ARGV  heartbeat, see quarantine.lua
-- last but two of ARGV    birth mark
-- last but one of ARGV    since when this node has all that was granted in the slot, in microseconds by its clock:
--                         later than now while another node may still vote on it
-- last of ARGV            which process the client has seen on this connection, and left there
--
-- A node deletes all keys of a slot that is taken from it. It may have the slot back before any client has seen that.
-- Then the key of the slot is missing, though a script has run there: so the slot counts as one that has come just now.
--
-- Returns {7, ms, clock of this node in microseconds} while another node may vote, or goes on.
slotSince = tonumber(table.remove(ARGV, #ARGV - 1))
local birthMark = table.remove(ARGV, #ARGV - 1)
KEYS[#KEYS + 1] = table.remove(ARGV, #ARGV - 1)
local slotKey = table.remove(ARGV, #ARGV - 1)
local usedSlots = table.remove(ARGV, #ARGV - 1)
local slot = table.remove(ARGV, #ARGV - 1)
KEYS[#KEYS + 1] = birthMark
local kept = redis.pcall('GET', slotKey)
if type(kept) == 'table' then -- it cannot be read: it was moved away by now
  slotSince = math.max(slotSince, now)
else
  local here = ARGV[#ARGV] .. ' ' .. usedSlots
  local since, place = string.match(kept or '', '^(%d+) (.*)$')
  if place ~= here then
    since = since or (redis.call('ZSCORE', usedSlots, slot) and millis or 0)
    if type(redis.pcall('ZADD', usedSlots, 0, slot)) == 'number' then -- else, without memory, the next script does it
      redis.pcall('SET', slotKey, since .. ' ' .. here)
    end
  end
  slotSince = math.max(slotSince, math.min(since * 1000, now))
end
if now < slotSince then
  return {7, (slotSince - now) / 1000, now}
end

