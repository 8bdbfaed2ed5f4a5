-- Releases a lock if its owner has it, and notifies the waiters if it leaves a tombstone. Comes after publish.lua,
-- lock.lua and fence.lua.
--
-- KEYS[1], KEYS[2]   lock and fence, see lock.lua; the fence expires a retention and more after the lease has ended.
--                    Then the same two of the second name, and so on
-- last of KEYS       heartbeat, see quarantine.lua, if there is one
-- ARGV[1]  owner
-- ARGV[2]  the tombstone: one more than the lease's last token, or 0 to leave none
-- ARGV[3]  TTL of the fence in milliseconds
-- ARGV[4]  0 to end a lease; to undo an attempt, see lock.lua, how far its token may be ahead of this node's clock in
--          microseconds
-- ARGV[5]  channel on which the release of the first name is published; then those of the others
--
-- Returns {status, detail, 0}, since to release needs no clock:
--   {4, n, _}     released, and n connections listened for that
--   {5, 0, _}     there was nothing to release
--   {2, ms, _}    another owner has it, for so long if not renewed; untouched
--
-- The tombstone raises the last token: a request of this lease or attempt that is still under way, on any connection,
-- is refused from now on. So a lock that was released is never taken again by a late request.
--
-- A node whose memory is full refuses commands that need more of it, unless the script has written before. So what
-- needs none comes first, also where there is nothing to delete: a release frees the lock on a full node, and leaves
-- its tombstone. Where another has the lock the release fails there, and is sent again until it can leave its
-- tombstone. An acquisition that comes before that needs memory itself.

local tombstone = ARGV[2]
local held = ARGV[4] == '0'
if not held then
  local time = redis.call('TIME')
  if tombstone - (time[1] * 1000000 + time[2]) > tonumber(ARGV[4]) then
    tombstone = '0' -- this node will refuse the attempt, and no caller may continue from a token of a wrong clock
  end
end
local tombstoneToken = tonumber(tombstone)

local names = math.floor(#KEYS / 2)
local mine = 0
local listeners = 0
local longest = 0
for i = 1, 2 * names, 2 do
  local owner, left, value = readLock(KEYS[i], ARGV[1])
  if owner == ARGV[1] or not owner then
    redis.call('DEL', KEYS[i])
  else -- needs no memory, like DEL
    redis.call('PEXPIRE', KEYS[i + 1], math.max(redis.call('PTTL', KEYS[i + 1]), tonumber(ARGV[3])))
  end
  if not owner and #KEYS > 2 * names then
    redis.call('TIME') -- see shard.lua
    redis.call('GET', KEYS[#KEYS]) -- see lock.lua
    redis.call('TIME')
  end
  local before = (not held or owner ~= ARGV[1]) and value and string.match(value, '^%d+ (%d+) ')
  local last, lease, ends = tokens(KEYS[i + 1])
  local stands = lease
  if held and tonumber(lease) < tombstoneToken then
    stands = tombstone
  elseif not held and owner == ARGV[1] and before and tonumber(before) < tonumber(lease) then
    stands = before
  end
  local wasMine = owner == ARGV[1] or not owner and held and tonumber(lease) < tombstoneToken
  local stays = not wasMine and ends
  if tonumber(last) < tombstoneToken then
    record(KEYS[i + 1], tombstone, stands, stays, ARGV[3])
  elseif stands ~= lease or ends and wasMine then
    record(KEYS[i + 1], last, stands, stays, ARGV[3])
  elseif tombstoneToken > 0 then
    prolong(KEYS[i + 1], ARGV[3])
  end
  if owner == ARGV[1] then
    mine = mine + 1
    if tombstoneToken > 0 then -- an attempt undone without a tombstone never had the lock: no waiter waits for it
      listeners = math.max(listeners, tonumber(redis.pcall(publish, ARGV[5 + (i - 1) / 2], ARGV[1])) or 0)
    end
  elseif owner then
    longest = math.max(longest, left)
    if held and before and tonumber(before) < tombstoneToken then -- it stands if the grant of that one is undone
      redis.call('SET', KEYS[i], string.match(value, '^%d+ ') .. tombstone .. ' ' .. owner, 'KEEPTTL')
    end
  end
end
if mine == names then -- a lease on several names was lost with the first of them
  return {4, listeners, 0}
end
if longest > 0 then
  return {2, longest, 0}
end
return {5, 0, 0}
