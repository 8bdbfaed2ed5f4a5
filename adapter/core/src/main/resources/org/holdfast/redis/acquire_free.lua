-- Takes a free lock on one name, as acquire.lua does, which lists the keys and arguments. Comes after time.lua and
-- before the functions that the other cases need: making those costs as much as two commands.
--
-- Most acquisitions end here. Whatever is not plain goes on to acquire.lua: a token or a clock in doubt; a quarantine,
-- or one that has just ended; a slot that has come lately; a fence that is not that of a released lease.
--
-- Returns the clock of this node in microseconds, which is shorter than the list that acquire.lua returns, or goes on.
-- A clock that shows a moment before 2001 is returned in the list: a small number might be taken for something else.

local call = redis.call
local linger = tonumber(ARGV[5])
if ARGV[7] == '1' and math.abs(ARGV[2] - now) <= tonumber(ARGV[9])
    and now - slotSince >= linger and not call('GET', KEYS[1]) then
  local fence = ARGV[8]
  local whole = linger == 0
  if not whole then
    if remembersSlot then
      call('TIME') -- see shard.lua
    end
    local since, seen = string.match(call('GET', KEYS[#KEYS - 1]) or '', '^(%d+) (%d+)$')
    whole = since and now - seen >= 0 and now - since >= linger
    fence = fence .. ' ' .. fence .. ' ' .. millis + ARGV[3] - math.ceil(linger / 1000)
  end
  local last = whole and (call('GET', KEYS[2]) or '0') or ''
  if string.match(last, '^%d+$') and tonumber(last) < tonumber(ARGV[2]) then
    call('SET', KEYS[1], ARGV[5] .. ' ' .. last .. ' ' .. ARGV[1], 'PX', ARGV[3])
    call('SET', KEYS[2], fence, 'PX', ARGV[4])
    return now >= 1e15 and now or {1, 0, now}
  end
end
