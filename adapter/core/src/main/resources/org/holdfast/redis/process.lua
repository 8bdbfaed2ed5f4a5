-- Refuses where another process than this one has set the birth mark. Comes after time.lua where something between the
-- client and this node may keep the client's connection while the process behind it ends and another one starts. That
-- one may have read an older file: then the mark is there, and locks are not. A client would notice a second later.
--
-- last of KEYS  birth mark: names the process that keeps it behind three groups of numbers
-- ARGV[5]       0 to trust this node's memory
--
-- Returns {6, 0, clock of this node in microseconds}, or goes on. Comes before everything else, so that there is one
-- check and no function: making that costs as much as two commands.

if ARGV[5] ~= '0' then
  local process = string.match(redis.call('GET', KEYS[#KEYS]) or '', '^%S+ %S+ %S+ (%S+)')
  if not process or not string.find(redis.call('INFO', 'server'), 'run_id:' .. process .. '\r', 1, true) then
    return {6, 0, now}
  end
end

