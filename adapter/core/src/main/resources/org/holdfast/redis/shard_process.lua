-- Refuses, in a cluster, where the birth mark is not that of the process at which the client has looked: it may have
-- come with its slot. Comes after shard.lua, where the client's connection leads to that process as long as it is open;
-- else process.lua comes there.
--
-- last of ARGV  which process the client has seen on this connection
--
-- Returns {6, 0, clock of this node in microseconds}, or goes on.
if string.match(redis.call('GET', birthMark) or '', '^%S+ %S+ %S+ (%S+)') ~= ARGV[#ARGV] then
  return {6, 0, now}
end
if remembersSlot then
  redis.call('TIME') -- see shard.lua
end

