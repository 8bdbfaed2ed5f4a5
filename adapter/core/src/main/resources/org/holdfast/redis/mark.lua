-- Sets the birth mark of this node and its heartbeat, if the mark still is what the client has seen.
--
-- KEYS[1]  birth mark, a key without a time to live
-- KEYS[2]  heartbeat: see quarantine.lua; holds the first numbers of the mark for other scripts
-- ARGV[1]  the mark that the client has seen; empty for none
-- ARGV[2]  since when this node's memory is whole, in microseconds by its own clock; 0 for now
-- ARGV[3]  since when its clock is watched without a gap, likewise
-- ARGV[4]  what follows these numbers in the mark
-- ARGV[5]  TTL of the heartbeat in milliseconds
-- ARGV[6]  a heartbeat that is gone before the last look is so old is gone too early, in microseconds
-- ARGV[7]  when this clock is known to have shown a later moment: that moment, in microseconds; 0 if it is not. A
--          quarantine that begins before it begins again when the clock has come there: the clock may have been behind
--          for a moment
-- ARGV[8]  what this clock showed when the client looked; such a moment as well, if a quarantine begins
-- ARGV[9]  1 if the mark was written by another process, which has another clock: its moments are forgotten; else 0
-- ARGV[10] in a cluster, the slots of this node in which a script has run, see shard.lua; else empty. The list has
--          all of them from the moment at which this node's memory is whole: nothing of before is relied upon then. It
--          is no key: while its slot is being moved a key that is missing would have the whole script refused
-- ARGV[11] in a cluster, the sign that leads clients to this mark, see door.lua; else empty. It is no key either
-- ARGV[12] what stands there: where something else does, clients look elsewhere, and only a quarantine may begin
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {8, seen, _}  set; the mark says that it was looked at at this moment, which is larger than those of the looks
--                 before, and when these were, eight at the most; looks that are half a second later than this clock
--                 are dropped
--   {9, 0, _}     the mark is another one by now, or the sign is, or the heartbeat is gone too early, or the clock has
--                 moved since the client looked by more than a request takes; untouched. What a smaller jump hides in
--                 `seen` it does not hide in ARGV[4], which says until when the clock was watched
--
-- The heartbeat's time to live is written first: a script that has written may go on writing when memory is full. The
-- heartbeat is not deleted: while its slot is being moved, a key that is missing cannot be written. Nor does it get
-- longer: what comes after may be refused, and then nothing would show that this clock was ahead.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function read(key)
  local value = redis.pcall('GET', key)
  if type(value) ~= 'table' then
    return value or ''
  end
  return string.find(value.err, 'WRONGTYPE', 1, true) and '' or redis.call('GET', key) -- is refused again
end
local mark = read(KEYS[1])
if mark ~= ARGV[1] then
  return {9, 0, now}
end
local last = string.match(mark, '^[%d:]+ (%d+)')
if last and ARGV[2] ~= '0' and read(KEYS[2]) == '' and now - last < tonumber(ARGV[6]) then
  return {9, 0, now} -- the clock went ahead and came back since the client has looked, or while it did: it looks again
end
if ARGV[11] ~= '' and ARGV[2] ~= '0' then
  redis.call('TIME') -- see shard.lua
  local sign = redis.pcall('GET', ARGV[11])
  redis.call('TIME')
  if sign ~= ARGV[12] then
    return {9, 0, now}
  end
end
local passed = now - ARGV[8]
if ARGV[2] ~= '0' and (passed < 0 or passed > 3500000) then
  return {9, 0, now} -- so long no request takes: the client looks again
end

local function text(micros) -- Lua writes numbers with 14 digits
  return math.floor(micros / 1000000) .. string.sub('000000' .. micros % 1000000, -6)
end
local function moment(micros)
  return micros == '0' and text(now) or micros
end
local behind = tonumber(ARGV[7])
if ARGV[2] == '0' then
  behind = math.max(behind, tonumber(ARGV[8])) -- the clock may have been set back since the client looked
end
local looks = {}
local setback = false
local noted = ARGV[9] == '0' and string.match(mark, '^[%d:]+ ([%d,]+) ') or ''
for look in string.gmatch(noted, '%d+') do
  if ARGV[2] == '0' and #look <= 16 then -- no script writes a longer one
    behind = math.max(behind, tonumber(look))
  end
  if tonumber(look) - now > 500000 then
    setback = true -- were it kept, each look would be in the future until the clock has come there
  elseif #looks < 7 then
    looks[#looks + 1] = look
  end
end
local seen = math.max(now, (tonumber(looks[1]) or 0) + 1)
setback = setback or seen > now
table.insert(looks, 1, text(seen))
local written = table.concat(looks, ',')
local steady = setback and text(seen) or moment(ARGV[3]) -- a clock that was set back has not been watched: it may come back
local lasts = math.min(redis.call('PTTL', KEYS[2]), tonumber(ARGV[5]))
redis.call('PEXPIRE', KEYS[2], math.max(lasts, 1))
local since = moment(ARGV[2])
if behind > 0 and (behind > now or ARGV[2] ~= '0') then
  since = since .. ':' .. text(behind)
end
redis.call('SET', KEYS[1], since .. ' ' .. written .. ' ' .. steady .. ' ' .. ARGV[4])
redis.call('SET', KEYS[2], since .. ' ' .. looks[1], 'PX', ARGV[5])
if ARGV[10] ~= '' and ARGV[2] == '0' then
  redis.pcall('ZADD', ARGV[10], 0, 'all') -- where it cannot be written, slots wait that need not
end
return {8, seen, now}
