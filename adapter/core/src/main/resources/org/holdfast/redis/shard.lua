-- Finds, in a cluster, what this node knows of itself. Comes after time.lua and before a script that must not rely on
-- what this node may have forgotten. All keys that a call names must be in one slot, that of the lock; heartbeat and
-- birth mark of this node are in another one of its slots. So they come as arguments, and scripts without a shebang may
-- read them.
--
-- last but six of ARGV    the slot
-- last but five of ARGV   the slots of this node in which a script has run, a sorted set; and `all`, whose score says
--                         since when each of them is listed, in milliseconds, 0 for always: mark.lua begins the list so
-- last but four of ARGV   a key of that slot without a time to live: since when a node has all that was granted there,
--                         as far as it has seen itself, in milliseconds, 0 for always; and which process wrote that
-- last but three of ARGV  heartbeat, see quarantine.lua
-- last but two of ARGV    birth mark
-- last but one of ARGV    since when this node has all that was granted in the slot, in microseconds by its clock:
--                         later than now while another node may still vote on it
-- last of ARGV            which process the client has seen on this connection, and left there
--
-- A node deletes all keys of a slot that is taken from it. It may have the slot back before any client has seen that.
-- Then the key of the slot is missing, though a script has run there: so the slot counts as one that has come just now.
-- The list may be lost too, with its slot or alone: each script adds the slot where it is not listed. A list that was
-- begun by a script of a slot proves nothing of slots that it does not have, until no lock of before it can be held: so
-- long each of them counts as one that has come just now. So does one whose key holds what no script of ours writes, or
-- which has no key while the list does: that is replaced.
--
-- On a full node the slot is listed too: a lock there is renewed, which needs no memory, and must be missed if it goes.
-- A script that has written may go on writing, so a command that needs no memory comes before. Nothing is granted or
-- healed by that script.
--
-- The key comes along when its slot is moved, and a replica has it. Its moment is by the clock of the process that
-- wrote it. For another process it is long ago only after twice as long as keys linger: a durable node takes over from
-- one whose clock was behind by less than a heartbeat lasts, and a slot that was moved waits anyway. A moment that is
-- ahead of this clock is of another clock, or of this one before it was set back: it is not waited for. But while this
-- clock is behind the last look at it, perhaps for a moment, no moment is written: it would be over too early.
--
-- Returns {7, ms, clock of this node in microseconds} while another node may vote, or goes on.

-- A moment of this process that is ahead of its clock by less stands: so long a set-back may be unseen, for the lack of
-- a look.
local longestUnseen = 5000000

-- Redis 7.4 and later look for a key whose slot is being moved in the slot that the command before has used, and refuse
-- it where that is another one (tried on 8.0.2; Valkey does not). A command without keys in between has them look in
-- the right one.
remembersSlot = (redis.REDIS_VERSION_NUM or 0) >= 0x070400

-- Returns whether a command was refused for a reason.
local function refusedFor(reply, reason)
  return type(reply) == 'table' and string.find(reply.err, reason, 1, true) ~= nil
end

-- Adds the slot to the list. Returns the error if it is refused, and whether this node is full.
local function enlist(usedSlots, slot)
  local added = redis.pcall('ZADD', usedSlots, 0, slot)
  local full = refusedFor(added, 'OOM')
  if full then
    redis.pcall('ZREM', usedSlots, '')
    added = redis.pcall('ZADD', usedSlots, 0, slot)
  end
  if refusedFor(added, 'WRONGTYPE') then
    redis.call('DEL', usedSlots)
    added = redis.pcall('ZADD', usedSlots, 0, slot)
  end
  return type(added) == 'table' and added, full
end

-- Returns since when this node has all that was granted in a slot of which it has no key, and which is not listed.
local function sinceUnlisted(usedSlots)
  local begun = redis.pcall('ZSCORE', usedSlots, 'all')
  if type(begun) ~= 'string' then
    redis.pcall('ZADD', usedSlots, millis, 'all')
    return millis
  end
  local age = now - begun * 1000
  return begun ~= '0' and (age < 0 or age < 2 * ARGV[5]) and millis or 0
end

slotSince = tonumber(table.remove(ARGV, #ARGV - 1))
local birthMark = table.remove(ARGV, #ARGV - 1)
KEYS[#KEYS + 1] = table.remove(ARGV, #ARGV - 1)
local slotKey = table.remove(ARGV, #ARGV - 1)
local usedSlots = table.remove(ARGV, #ARGV - 1)
local slot = table.remove(ARGV, #ARGV - 1)
KEYS[#KEYS + 1] = birthMark
local process = ARGV[#ARGV]
local kept = redis.pcall('GET', slotKey)
if remembersSlot then
  redis.call('TIME')
end
local listed = redis.pcall('ZSCORE', usedSlots, slot)
local isListed = type(listed) == 'string'
if refusedFor(kept, 'non local key') then
  slotSince = math.max(slotSince, now) -- it was moved away by now
  local refused = not isListed and enlist(usedSlots, slot)
  if refused then
    return refused
  end
else
  if type(kept) == 'table' then
    if not refusedFor(kept, 'WRONGTYPE') then
      return kept
    end
    kept = ''
  end
  local since, writer = string.match(kept or '', '^(%d+) (.*)$')
  local isNew = not since
  if isNew then
    since = (kept or listed) and millis or 0 -- also if the list cannot be read
  elseif since ~= '0' then
    local age = now - since * 1000
    if age < 0 or writer ~= process and age < 2 * ARGV[5] then
      isNew = writer ~= process or age < -longestUnseen
      since = millis
    end
  end
  if isNew or not isListed then
    local look = redis.call('GET', KEYS[#KEYS - 1]) or redis.call('GETRANGE', birthMark, '0', '60')
    local seen = string.match(look, '^%d+:?%d* (%d+)')
    local isBehind = seen and now - seen < -500000
    local refused, full
    since = since == 0 and not isBehind and sinceUnlisted(usedSlots) or since
    if not isListed then
      refused, full = enlist(usedSlots, slot)
      if refused then
        return refused
      end
    end
    if isBehind then
      since = millis -- a moment by this clock would be over too early when it is right again: none is written
    elseif isNew then
      if remembersSlot then
        redis.call('TIME')
      end
      redis.pcall('SET', slotKey, since .. ' ' .. process)
      if remembersSlot then
        redis.call('TIME')
      end
    end
    since = full and millis or since -- this script may use memory now, and must not
  end
  slotSince = math.max(slotSince, since * 1000)
end
if now < slotSince then
  return {7, (slotSince - now) / 1000, now}
end

