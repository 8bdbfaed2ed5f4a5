-- Keeps tickets in their places, or puts them back there if this node has lost them.
--
-- KEYS[1]  tickets of the waiters of the same kind, to read or not, each with its number
-- KEYS[2]  tickets of all waiters, each with the moment in milliseconds at which it expires
-- ARGV[1]  TTL of the tickets in milliseconds
-- ARGV[2]  ticket
-- ARGV[3]  number of the ticket; then the same two of the next one, and so on
--
-- Returns {12, 0, clock of this node in microseconds}
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local expires = math.floor(now / 1000) + ARGV[1]

redis.call('PEXPIRE', KEYS[1], ARGV[1]) -- first, since it needs no memory: then the others are done on a full node too
for i = 2, #ARGV, 2 do
  redis.call('ZADD', KEYS[1], ARGV[i + 1], ARGV[i])
  redis.call('ZADD', KEYS[2], expires, ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return {12, 0, now}
