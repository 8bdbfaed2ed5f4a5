-- Comes after time.lua and lock.lua, and before a script that takes a lock. Lets that script begin only when it is the
-- caller's turn: first come, first served. Several callers may read at once; a caller that wants the lock exclusively
-- waits for all callers that came before.
--
-- KEYS[3]  tickets of the waiters for an exclusive lock, each with its number
-- KEYS[4]  tickets of the waiters to read, each with its number
-- KEYS[5]  all of them, each with the moment in milliseconds at which it expires if its owner gives no sign of life
-- ARGV[9]  how far a number may be ahead of this node's clock in microseconds
-- ARGV[10]  ticket; empty for a caller that does not wait
-- ARGV[11]  number of the ticket
-- ARGV[12] TTL of the ticket in milliseconds
-- ARGV[13] 1 if a quorum has accepted the ticket before, else 0
-- ARGV[14] 1 if the caller wants to read, else 0
--
-- Returns, if it is not the caller's turn, {status, detail, clock of this node in microseconds}:
--   {10, ms, _}     the ticket has its place, and one before it expires so late if it gives no sign of life
--   {15, ms, _}     the ticket's number is so far ahead of this node's clock that all later tickets would have to
--                   exceed it
--   {11, number, _} a number as large or larger has its place already: a ticket that comes later must not stand before
--                   it
--
-- A ticket keeps its place when the lock is granted, since other nodes may refuse it; the caller removes the ticket.
do
  local longestTicket = 60000 -- in milliseconds, by the settings

  for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', millis)) do
    redis.call('ZREM', KEYS[3], dead)
    redis.call('ZREM', KEYS[4], dead)
    redis.call('ZREM', KEYS[5], dead)
  end

  local reads = ARGV[14] == '1'
  local number = math.huge
  if ARGV[10] ~= '' then
    number = tonumber(ARGV[11])
    local mine = reads and KEYS[4] or KEYS[3]
    if ARGV[13] == '0' and not redis.call('ZSCORE', mine, ARGV[10]) then
      if number - now > tonumber(ARGV[9]) then
        return {15, (number - now) / 1000, now}
      end
      for i = 3, 4 do
        local largest = tonumber(redis.call('ZREVRANGE', KEYS[i], 0, 0, 'WITHSCORES')[2] or '0')
        if number <= largest then
          return {11, largest, now}
        end
      end
    end
    local latest = millis + ARGV[12]
    for _, late in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], '(' .. latest, '+inf')) do
      redis.call('ZADD', KEYS[5], latest, late) -- no ticket lasts longer: the clock was set back since
    end
    redis.call('ZADD', mine, ARGV[11], ARGV[10])
    redis.call('ZADD', KEYS[5], latest, ARGV[10])
    for i = 3, 5 do
      local lasts = redis.pcall('PEXPIRE', KEYS[i], ARGV[12])
      if type(lasts) == 'table' then -- the user may not use it: no ticket stays for ever
        redis.call('ZREM', mine, ARGV[10])
        redis.call('ZREM', KEYS[5], ARGV[10])
        return lasts
      end
    end
  end

  for i = 3, reads and 3 or 4 do
    local first = redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')
    if first[1] and tonumber(first[2]) < number then
      local expires = redis.call('ZSCORE', KEYS[5], first[1])
      if not expires and ARGV[10] ~= '' then -- lost here: without it, the ticket of a waiter that has gone would stay for ever
        expires = millis + ARGV[12]
        redis.call('ZADD', KEYS[5], expires, first[1])
      end
      if redis.call('PTTL', KEYS[i]) > longestTicket then -- the clock was set back since
        for set = 3, 5 do
          redis.call('PEXPIRE', KEYS[set], longestTicket)
        end
      end
      return {10, math.min((tonumber(expires) or millis) - millis, longestTicket), now}
    end
  end
end
