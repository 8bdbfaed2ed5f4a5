-- Comes after quarantine.lua where something between the client and this node may keep the client's connection while
-- the process behind it ends and another one starts. That one may have read an older file: then the mark is there, and
-- locks are not. The client would notice with its next look.
--
-- last of KEYS  birth mark: names the process that keeps it behind three groups of numbers

local remembered = forgotten

-- Returns whether the mark was set for the process that runs this script.
local function isOfThisProcess()
  local process = string.match(redis.call('GET', KEYS[#KEYS]) or '', '^%S+ %S+ %S+ (%S+)')
  return process and string.find(redis.call('INFO', 'server'), 'run_id:' .. process .. '\r', 1, true)
end

-- As in quarantine.lua, and refuses where another process has set the mark.
local function forgotten(lingerMicros)
  local refusal = remembered(lingerMicros)
  if refusal or lingerMicros == 0 or isOfThisProcess() then
    return refusal
  end
  return {6, 0, now}
end

