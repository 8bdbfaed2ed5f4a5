-- Records calls that count a latch down, and reports all that are recorded. Comes after time.lua and publish.lua.
--
-- KEYS[1]  latch: its generation, its count, and the ids of the calls, with a space between each two
-- ARGV[1]  generation
-- ARGV[2]  count
-- ARGV[3]  TTL of the latch in milliseconds
-- ARGV[4]  channel on which it is published that a call was recorded
-- ARGV[5]  id of a call; then those of the others. None to record nothing
--
-- Returns {status, detail, clock of this node in microseconds}:
--   {17, n, _, ids}       these n calls are recorded
--   {18, generation, _}   the latch has this generation, which is higher
--   {19, count, _}        this generation has another count
--
-- One key holds all, so a node that evicts or expires it loses ids together with the generation to which they belong:
-- no call counts for another generation. Ids are only added, so commands may come late, twice and in any order. As many
-- as open the latch are enough, however many more calls there are.
--
-- Needs no quarantine: what this node has forgotten are calls, and with fewer of them the latch opens later.
local value = redis.call('GET', KEYS[1])
local generation, count, text = string.match(value or '', '^(%d+) (%d+)(.*)$')
if generation and tonumber(generation) > tonumber(ARGV[1]) then
  return {18, tonumber(generation), now}
end
local isKnown = generation == ARGV[1]
if isKnown and count ~= ARGV[2] then
  return {19, tonumber(count), now}
end

local ids = {}
local recorded = {}
for id in string.gmatch(isKnown and text or '', '%S+') do
  ids[#ids + 1] = id
  recorded[id] = true
end
local before = #ids
for i = 5, #ARGV do
  if #ids < tonumber(ARGV[2]) and not recorded[ARGV[i]] then
    ids[#ids + 1] = ARGV[i]
    recorded[ARGV[i]] = true
  end
end

if isKnown and #ids == before then
  redis.call('PEXPIRE', KEYS[1], ARGV[3]) -- needs no memory: a full node reports what it has
else
  redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. table.concat(ids, ' '), 'PX', ARGV[3])
end
if #ids > before then
  redis.pcall(publish, ARGV[4], 'latch') -- digits would be the token of a forced release
end
return {17, #ids, now, ids}
