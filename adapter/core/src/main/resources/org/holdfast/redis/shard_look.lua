-- Reads, in a cluster, the heartbeat of this node, as lock.lua asks for. Comes first.
--
-- last of ARGV  heartbeat, see shard.lua
redis.call('TIME') -- see shard.lua
redis.call('GET', table.remove(ARGV))

