-- Comes after lock.lua and before a script that puts tokens on record.

-- Returns the larger one of two tokens.
local function larger(a, b)
  return tonumber(a) < tonumber(b) and b or a
end

-- Puts the last token and the last one of a lease on record, and until when that is in force, if it is. They stay for
-- as long as the former ones would: the node's clock may be behind for a moment.
local function record(fence, last, lease, ends, ttl)
  local kept = redis.call('PTTL', fence)
  local value = last
  if ends or last ~= lease then
    value = last .. ' ' .. lease
  end
  redis.call('SET', fence, ends and value .. ' ' .. ends or value, 'PX', math.max(kept, tonumber(ttl)))
end

-- Keeps larger tokens on record for as long as the tokens that they stand for would be: the node's clock may have
-- jumped since they were recorded.
local function prolong(fence, ttl)
  if redis.call('PTTL', fence) < tonumber(ttl) then
    redis.call('PEXPIRE', fence, ttl)
  end
end

