-- Writes down in which slot a node of a cluster keeps what it knows of itself, if the sign there still is what the
-- client has seen.
--
-- KEYS[1]  the sign, a key without a time to live
-- ARGV[1]  the sign that the client has seen; empty for none
-- ARGV[2]  the sign as it should be
-- ARGV[3]  the birth mark in the same slot, if that is void from now on: clients look elsewhere, and what they note is
--          not in it; else empty. It is no key: while the slot is being moved, one that is missing would have the whole
--          script refused
--
-- Returns 1 if it is so now, else 0. A sign of another type is replaced. The sign first gets a time to live, see
-- slots.lua. The mark is not deleted, for the same reason, and is written before the sign: if that is refused, the
-- sign stays too.
local sign = redis.pcall('GET', KEYS[1])
if type(sign) == 'table' then
  if not string.find(sign.err, 'WRONGTYPE', 1, true) then
    return sign
  end
  redis.call('DEL', KEYS[1])
  sign = ''
end
if (sign or '') ~= ARGV[1] then
  return 0
end
redis.call('PEXPIRE', KEYS[1], 600000)
if ARGV[3] ~= '' then
  local mark = redis.pcall('GET', ARGV[3])
  if type(mark) ~= 'table' or string.find(mark.err, 'WRONGTYPE', 1, true) then
    if mark then
      redis.call('SET', ARGV[3], '')
    end
  elseif not string.find(mark.err, 'non local key', 1, true) then
    return mark
  end
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
