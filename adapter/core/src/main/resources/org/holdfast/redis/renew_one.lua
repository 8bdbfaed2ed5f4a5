-- Renews one lease. Comes after renew.lua, which lists its keys, arguments and replies.
return renew(KEYS, ARGV)
