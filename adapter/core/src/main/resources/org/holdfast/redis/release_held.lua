-- Releases a lock on one name that its owner has, as release.lua does, which lists the keys and arguments. Comes after
-- publish.lua, and before the functions that the other cases need: making those costs as much as two commands.
--
-- Most releases end here: those of leases whose last token is on record. The fence keeps the time that it has: that
-- reaches a retention and more beyond the end of the lease, and so beyond its release. release.lua would prolong one
-- that was edited by hand to last shorter.
--
-- Returns -10^15 less the number of connections that listened for the release, which is shorter than the list that
-- release.lua returns, or goes on. Other commands return no such number.

if #KEYS <= 3 and ARGV[4] == '0' then
  local value = redis.call('GET', KEYS[1])
  if value and string.sub(value, -#ARGV[1]) == ARGV[1] then
    local last = string.match(redis.call('GET', KEYS[2]) or '', '^%d+')
    if last and ARGV[2] - last == 1 then
      redis.call('DEL', KEYS[1]) -- needs no memory; what comes after it in a script may then
      redis.call('SET', KEYS[2], ARGV[2], 'KEEPTTL')
      return -1e15 - (tonumber(redis.pcall(publish, ARGV[5], ARGV[1])) or 0)
    end
  end
end
