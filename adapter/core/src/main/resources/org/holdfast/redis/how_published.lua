-- Reports by which command the scripts publish on this node of a cluster. Comes after shard_publish.lua.
--
-- Returns the name of the command. It stays the same as long as the connection to the node is open.
return publish
