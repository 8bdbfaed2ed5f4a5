-- Reports a grant to a caller that has waited in line, or would have. Comes after queue.lua and acquire.lua, which list
-- the keys and arguments.
--
-- Returns {1, 0, clock of this node in microseconds, numbers}: those of the first tickets behind that of the caller, in
-- their order. None from the first one on whose owner wants to read, or which has the number of another one; and none
-- for a caller without a ticket.
--
-- Tickets that come later come behind these: see queue.lua.
local behind = {}
if ARGV[10] ~= '' then
  local reading = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')[2]
  local before = reading and '(' .. reading or '+inf'
  local tickets = redis.call('ZRANGEBYSCORE', KEYS[3], ARGV[11], before, 'WITHSCORES', 'LIMIT', 0, 17)
  for i = 4, 32, 2 do -- the first one is that of the caller, unless another has its number
    if not tickets[i] or tickets[i] == tickets[i - 2] or tickets[i] == tickets[i + 2] then
      break
    end
    behind[i / 2 - 1] = tonumber(tickets[i])
  end
end
return {1, 0, now, behind}
