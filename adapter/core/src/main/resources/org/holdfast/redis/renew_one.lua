-- Renews one lease. Comes after publish.lua and renew.lua, which lists its keys, arguments and replies.
--
-- ARGV[9]  if ARGV[8] is not 0, the channel on which the releases of the first name are published; then those of the
--          others
--
-- A lock that ends earlier than so far is not released: the waiters are notified that they have to ask for how long it
-- is held, and nothing is published when it has ended.
local reply = renew(KEYS, ARGV)
if ARGV[8] ~= '0' and reply[1] == 1 then
  for i = 9, 8 + ARGV[7] do
    redis.pcall(publish, ARGV[i], '')
  end
end
return reply
