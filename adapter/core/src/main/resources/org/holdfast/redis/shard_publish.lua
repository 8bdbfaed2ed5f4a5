-- Comes, in a cluster, in the place of publish.lua: PUBLISH sends to all nodes of the cluster, and SPUBLISH, which
-- nodes have since Redis 7.0, to those of the shard. A channel has the hash tag of its lock, so it is in the slot of
-- the keys.
--
-- The node decides by what it is. A client that listens there asks it with the same line, see how_published.lua. So
-- both agree, also in a cluster whose nodes have several versions, one of which may be in the place of another one by
-- now.
--
-- Scripts call it by redis.pcall, see publish.lua.
local publish = redis.REDIS_VERSION_NUM and 'SPUBLISH' or 'PUBLISH'
