-- Writes down since when this node of a cluster has its slots, if that still is what the client has seen.
--
-- KEYS[1]  the record, a key without a time to live
-- ARGV[1]  the record that the client has seen; empty for none
-- ARGV[2]  the record as it should be
--
-- Returns 1 if it is so now, else 0. The record first gets a time to live, which it loses when it is written: a script
-- that has written may go on writing when memory is full, and a node that could not note its slots would be set aside.
-- It is not deleted, but for a key of another type: while its slot is being moved, one that is missing cannot be
-- written.
local record = redis.pcall('GET', KEYS[1])
if type(record) == 'table' then
  if not string.find(record.err, 'WRONGTYPE', 1, true) then
    return record
  end
  redis.call('DEL', KEYS[1])
  record = ''
end
if (record or '') ~= ARGV[1] then
  return 0
end
redis.call('PEXPIRE', KEYS[1], 600000)
redis.call('SET', KEYS[1], ARGV[2])
return 1
