-- Takes a ticket away: its owner has the lock, or does not want it any more.
--
-- KEYS[1]  those who wait as the ticket's owner did, each with its number
-- KEYS[2]  all who wait, each with the moment at which its ticket expires
-- ARGV[1]  ticket
-- ARGV[2]  channel on which those who wait hear that somebody else may be first now; empty to be silent
--
-- Returns {12, 0, clock of this node in microseconds}
local time = redis.call('TIME')

redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if ARGV[2] ~= '' then
  redis.call('PUBLISH', ARGV[2], ARGV[1])
end
return {12, 0, time[1] * 1000000 + time[2]}
