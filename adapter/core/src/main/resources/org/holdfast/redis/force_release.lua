-- Takes locks away from their holders, on the request of an operator. Comes after publish.lua, fence.lua and
-- holders.lua, with the same KEYS as the last.
--
-- ARGV[1]  how many locks
-- ARGV[2]  token: larger than those of all holders that are to lose their locks
-- ARGV[3]  TTL of the fences in milliseconds
-- ARGV[4]  how far the token may be from this node's clock in microseconds
-- ARGV[5]  channel on which the release of the first lock is published; then those of the others
-- then     the owner that is meant; empty for every one
--
-- Returns {14, token, clock of this node in microseconds, holders}: the largest token on record for any of these locks,
-- and the holders that lost their locks, in the form of holders.lua. Or {15, ms, clock of this node}: the token is so
-- far ahead of this node's clock, or behind if negative; nothing has changed.
--
-- The token stays on record, also where no owner has the lock. It refuses a holder that lost its lock, which can then
-- neither renew its lease nor heal a node. A lock stays as it is if a lease with a token as large or larger is on
-- record for it: that lease was granted after the operator had inspected the lock, and this command is late. Attempts
-- that came meanwhile and were undone do not count: where many callers contend, there is always one. Waiters keep their
-- places in the queue.
--
-- Where one owner is meant, a lock that another one has stays as it is. One that no owner has is treated as if that one
-- had it: it may have missed the grant, and must not be healed by it. That owner has the lock exclusively: a single
-- reader is removed by release_reading.lua.
local largest = 0
local token = tonumber(ARGV[2])
if math.abs(token - now) > tonumber(ARGV[4]) then
  return {15, (token - now) / 1000, now}
end
local meant = ARGV[5 + locks] ~= '' and ARGV[5 + locks] or nil
for lock = 1, locks do
  local newest, lease = tokens(KEYS[2 * lock])
  local owner, _, value = readLock(KEYS[2 * lock - 1], meant)
  local isOthers = meant and owner and owner ~= meant
  if not isOthers and (tonumber(lease) or 0) < token then
    tell(lock)
    local gone = redis.call('DEL', KEYS[2 * lock - 1])
    if KEYS[2 * locks + 1 + lock] then
      redis.call('DEL', KEYS[2 * locks + 1 + lock])
    end
    record(KEYS[2 * lock], larger(tonumber(newest) and newest or '0', ARGV[2]), ARGV[2], nil, ARGV[3])
    if gone > 0 then
      redis.pcall(publish, ARGV[4 + lock], ARGV[2])
    end
  else
    local before = value and string.match(value, '^%d+ (%d+) ')
    if before and tonumber(before) < token then -- it stands if the grant of that one is undone
      redis.call('PEXPIRE', KEYS[2 * lock], math.max(redis.call('PTTL', KEYS[2 * lock]), tonumber(ARGV[3]))) -- needs no memory
      redis.call('SET', KEYS[2 * lock - 1], string.match(value, '^%d+ ') .. ARGV[2] .. ' ' .. owner, 'KEEPTTL')
    end
  end
  largest = math.max(largest, last(lock))
end
return {14, largest, now, holders}
