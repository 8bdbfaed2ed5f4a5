-- Finds, in a cluster, what this node knows of itself. Comes after time.lua and before a script that must not rely on
-- what this node may have forgotten. All keys that a call names must be in one slot, that of the lock; heartbeat and
-- birth mark of this node are in another one of its slots. So they come as arguments, and scripts without a shebang may
-- read them.
--
-- last but three of ARGV  heartbeat, see quarantine.lua
-- last but two of ARGV    birth mark
-- last but one of ARGV    since when this node has all that was granted in the slot, in microseconds by its clock:
--                         later than now while another node may still vote on it
-- last of ARGV            which process the client has seen on this connection, and left there
--
-- Returns {7, ms, clock of this node in microseconds} while another node may vote, or goes on.
slotSince = tonumber(table.remove(ARGV, #ARGV - 1))
local birthMark = table.remove(ARGV, #ARGV - 1)
KEYS[#KEYS + 1] = table.remove(ARGV, #ARGV - 1)
KEYS[#KEYS + 1] = birthMark
if now < slotSince then
  return {7, (slotSince - now) / 1000, now}
end

