-- Sets the birth mark of this node, if it still is what the client has seen.
--
-- KEYS[1]  birth mark, a key without a time to live
-- ARGV[1]  the mark that the client has seen; empty for none
-- ARGV[2]  since when this node's memory is whole, in microseconds by its own clock; 0 for now
-- ARGV[3]  what follows that number in the mark
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {8, 0, _}     set
--   {9, 0, _}     the mark is another one by now; untouched
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return {9, 0, now}
end
local since = ARGV[2]
if since == '0' then
  since = time[1] .. string.sub('000000' .. time[2], -6)
end
redis.call('SET', KEYS[1], since .. ARGV[3])
return {8, 0, now}
