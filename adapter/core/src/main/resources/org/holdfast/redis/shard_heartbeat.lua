-- Finds, in a cluster, the heartbeat of this node: see shard.lua. Comes first in a script that needs no birth mark.
--
-- last of ARGV  heartbeat
KEYS[#KEYS + 1] = table.remove(ARGV)

