-- Writes down in which slot a node of a cluster keeps what it knows of itself, if the sign still is what the client has
-- seen at the door.
--
-- KEYS[1]  the sign, a key without a time to live
-- ARGV[1]  the sign that the client has seen; empty for none
-- ARGV[2]  the sign as it should be
-- ARGV[3]  a birth mark in the slot of the door. It is no key: while the slot is being moved, one that is missing would
--          have the whole script refused
--
-- Returns {1, the birth mark that stood there; empty for none}, or {0, ''} if the sign is another one by now.
--
-- A mark that stood there is void when the sign changes. It came with its slot from another node, or the clients that
-- have kept it look elsewhere from now on. When the sign leads to the door later, what they note elsewhere is not in
-- it. The sign first gets a time to live, see slots.lua. The mark is not deleted, for the same reason.
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return {0, ''}
end
local mark = redis.pcall('GET', ARGV[3])
redis.call('PEXPIRE', KEYS[1], 600000)
redis.call('SET', KEYS[1], ARGV[2])
if mark then
  redis.pcall('SET', ARGV[3], '')
end
return {1, type(mark) == 'string' and mark or ''}
