-- Ends a reader's lease, and notifies the waiters if it was the last one. Comes after time.lua, publish.lua, lock.lua,
-- fence.lua and readers.lua.
--
-- KEYS[1]  lock, see lock.lua; while it is read it ends with the last reader's lease
-- KEYS[2]  fence, see lock.lua; expires a retention and more later
-- KEYS[3]  readers: each owner with the moment in milliseconds at which its lease expires; and each that has released
--          its lease, with minus the moment until which whatever is still under way of it is refused
-- KEYS[4]  heartbeat, see quarantine.lua, if there is one
-- ARGV[1]  owner
-- ARGV[2]  the tombstone: one more than the lease's token, or 0 to leave none
-- ARGV[3]  TTL of the fence in milliseconds
-- ARGV[4]  0 to end a lease; to undo an attempt, see lock.lua, how far its token may be ahead of this node's clock in
--          microseconds
-- ARGV[5]  channel on which the release is published
-- ARGV[6]  TTL of the lease in milliseconds
-- ARGV[7]  how long a lock's key lingers in microseconds; 0 to trust this node's memory
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {4, n, _}     released; it was the last reader and n connections listened for that, or n is 0
--   {5, 0, _}     there was nothing to release
--   {2, ms, _}    another owner has the lock exclusively, for so long if not renewed; untouched
--
-- While other readers have the lock, a larger last token refuses no reader. A request of this lease that is still under
-- way is refused by the lease's own entry, for as long as it could last. When no reader is left, the last token refuses
-- it.

local tombstone = ARGV[2]
local held = ARGV[4] == '0'
if not held and tombstone - now > tonumber(ARGV[4]) then
  tombstone = '0' -- this node will refuse the attempt, and no caller may continue from a token of a wrong clock
end
local tombstoneToken = tonumber(tombstone)
local linger = math.ceil(ARGV[7] / 1000)

-- Leaves the tombstone, and the moment until which other leases are in force. Comes after something that needs no
-- memory, so that it can be left on a full node: see release.lua.
local function leaveTombstone(inForceUntil)
  local last, lease, ends = tokens(KEYS[2])
  local stands = held and larger(lease, tombstone) or lease
  if stands ~= lease or tonumber(last) < tombstoneToken or inForceUntil ~= ends then
    record(KEYS[2], larger(last, tombstone), stands, inForceUntil, ARGV[3])
  elseif tombstoneToken > 0 then
    prolong(KEYS[2], ARGV[3])
  end
end

-- Removes the entry of this reader, whose end is known or 0, or makes it a tombstone. That lasts for as long as what
-- was there before would: this clock may be behind for a moment. What comes after it may be refused: so a set of which
-- it is the first entry has a TTL at once, or is not made. Returns the latest end of the others; 0 or less if there are
-- none.
local function leave(known)
  local function latest()
    return tonumber(redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2] or '0')
  end
  if tombstoneToken > 0 then
    local ends = math.max(millis + ARGV[6] + linger, known + linger, -known)
    local isFirst = latest() == 0
    if isFirst then
      redis.call('PEXPIRE', KEYS[3], ends - millis)
    end
    redis.call('ZADD', KEYS[3], -ends, ARGV[1])
    if isFirst then
      redis.call('PEXPIRE', KEYS[3], ends - millis)
    end
  elseif known > 0 then -- what has left a tombstone before keeps it
    redis.call('ZREM', KEYS[3], ARGV[1])
  end
  return latest()
end

local holder, keptFor, value = readLock(KEYS[1], ARGV[1])
local before = value and string.match(value, '^%d+ (%d+) ')
local released = holder == ARGV[1] -- it has become a reader, and this node has not received that yet
local over = released
local function lookAtHeartbeat() -- see lock.lua, and shard.lua
  if KEYS[4] then
    redis.call('TIME')
    redis.call('GET', KEYS[4])
    redis.call('TIME')
  end
end
local remain = false -- entries of others: perhaps they only seem over, see lock.lua
if released or not holder then
  lookAtHeartbeat()
  redis.call('DEL', KEYS[1], KEYS[3])
  leaveTombstone(not released and select(3, tokens(KEYS[2])) or nil)
elseif not string.match(holder, '^readers %d+ %d+$') then
  redis.call('PEXPIRE', KEYS[2], math.max(redis.call('PTTL', KEYS[2]), tonumber(ARGV[3]))) -- needs no memory: see release.lua
  leaveTombstone(select(3, tokens(KEYS[2])))
  if held and before and tonumber(before) < tombstoneToken then -- it stands if the grant of that one is undone
    redis.call('SET', KEYS[1], string.match(value, '^%d+ ') .. tombstone .. ' ' .. holder, 'KEEPTTL')
  end
  if keptFor > 0 then
    return {2, keptFor, now}
  end
  return {5, 0, now}
else
  local known = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1]) or '0')
  released = known > 0
  local expired = redis.call('ZREMRANGEBYSCORE', KEYS[3], -millis, millis - linger)
  if expired > 0 then
    lookAtHeartbeat()
  end
  local latest = leave(known)
  local keptUntil = momentAfter(keptFor)
  local readUntil = endOfDeleted(KEYS[1], linger, keptUntil, known, latest) or math.min(latest, keptUntil)
  local left = readUntil - millis
  over = left <= 0
  remain = left + linger > 0
  if remain then
    redis.call('PEXPIRE', KEYS[3], left + linger) -- before setUntil, which may be refused
  end
  leaveTombstone(remain and linger > 0 and readUntil or nil)
  local kept = before
  if expired > 0 or not before then
    before = select(2, tokens(KEYS[2])) -- that is perhaps the token of one that has ended
  elseif held then
    before = larger(before, tombstone)
  end
  if remain and (readUntil < keptUntil or before ~= kept) then
    setUntil(KEYS[1], ARGV[7] .. ' ' .. before .. ' ' .. holder, readUntil + linger)
  end
end
if not released and (remain or not over) then
  return {5, 0, now}
end

local listeners = 0
if over then
  if not remain then
    redis.call('DEL', KEYS[1], KEYS[3])
  end
  if tombstoneToken > 0 then -- an attempt undone without a tombstone never had the lock: no waiter waits for it
    listeners = tonumber(redis.pcall(publish, ARGV[5], ARGV[1])) or 0
  end
  local last, lease = tokens(KEYS[2])
  if not remain and not held and released and before and tonumber(before) < tonumber(lease) then
    record(KEYS[2], last, before, nil, ARGV[3])
  end
end
return {released and 4 or 5, listeners, now}
