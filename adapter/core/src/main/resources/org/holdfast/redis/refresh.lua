-- Keeps a ticket in its place, or puts it back there if this node has lost it.
--
-- KEYS[1]  those who wait as the ticket's owner does, each with its number
-- KEYS[2]  all who wait, each with the moment in milliseconds at which its ticket expires
-- ARGV[1]  ticket
-- ARGV[2]  number of the ticket
-- ARGV[3]  TTL of the ticket in milliseconds
--
-- Returns {12, 0, clock of this node in microseconds}
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], math.floor(now / 1000) + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return {12, 0, now}
