-- Renews leases of one name each, one after the other: what comes of one changes nothing for the others. Comes after
-- renew.lua.
--
-- KEYS[1], KEYS[2]   lock and fence of the first lease; then the same two of the second lease, and so on
-- last two of KEYS   heartbeat and birth mark, see quarantine.lua
-- ARGV[1] to [4]     owner, last token and the two TTLs of the first lease, see renew.lua
-- ARGV[5]            how long a lock's key lingers, of all leases, see renew.lua
-- ARGV[6]            0: the caller has not compared this node's clock with its own, see ended.lua
-- ARGV[7]            how many leases
-- then               the same four as above, of the second lease, and so on
--
-- Returns a list of what renew.lua returns for each lease, or of the error that it ended with.

local replies = {}
local first = 1
for i = 1, tonumber(ARGV[7]) do
  local lease = {ARGV[first], ARGV[first + 1], ARGV[first + 2], ARGV[first + 3], ARGV[5], ARGV[6], 1, '0'}
  local done, reply = pcall(renew, {KEYS[2 * i - 1], KEYS[2 * i]}, lease)
  replies[i] = (done or type(reply) == 'table') and reply or {err = reply}
  first = i == 1 and 8 or first + 4
end
return replies
