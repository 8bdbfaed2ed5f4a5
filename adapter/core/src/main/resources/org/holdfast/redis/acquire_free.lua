-- Takes a free lock on one name, as acquire.lua does, which lists the keys and arguments. Comes after time.lua and
-- before the functions that the other cases need: making those costs as much as two commands.
--
-- Most acquisitions end here. Whatever is not plain goes on to acquire.lua: a token or a clock in doubt; a quarantine,
-- or one that has just ended; a slot that has come lately; a fence that is not that of a released lease.

if ARGV[7] == '1' and ARGV[5] ~= '0' and math.abs(ARGV[2] - now) <= tonumber(ARGV[9])
    and now - slotSince >= tonumber(ARGV[5]) and not redis.call('GET', KEYS[1]) then
  if remembersSlot then
    redis.call('TIME') -- see shard.lua
  end
  local since, seen = string.match(redis.call('GET', KEYS[#KEYS - 1]) or '', '^(%d+) (%d+)$')
  local whole = since and now - seen >= 0 and now - since >= tonumber(ARGV[5])
  local last = whole and (redis.call('GET', KEYS[2]) or '0') or ''
  if string.match(last, '^%d+$') and tonumber(last) < tonumber(ARGV[2]) then
    local ends = millis + ARGV[3] - math.ceil(ARGV[5] / 1000)
    redis.call('SET', KEYS[1], ARGV[5] .. ' ' .. last .. ' ' .. ARGV[1], 'PX', ARGV[3])
    redis.call('SET', KEYS[2], ARGV[8] .. ' ' .. ARGV[8] .. ' ' .. ends, 'PX', ARGV[4])
    return {1, 0, now}
  end
end
