-- Removes a ticket: its owner has the lock, or does not want it any more. Comes after publish.lua.
--
-- KEYS[1]  tickets of the waiters of the same kind, to read or not, each with its number
-- KEYS[2]  tickets of all waiters, each with the moment at which it expires
-- ARGV[1]  ticket
-- ARGV[2]  channel on which the waiters are notified that another one may be first now; empty to notify none
--
-- Returns {12, 0, clock of this node in microseconds}
local time = redis.call('TIME')

redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if ARGV[2] ~= '' then
  redis.pcall(publish, ARGV[2], ARGV[1])
end
return {12, 0, time[1] * 1000000 + time[2]}
