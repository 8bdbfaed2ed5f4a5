-- Refuses where this process is not the one at which the client has looked, or has a birth mark that is not its own.
-- Comes after time.lua where something between the client and this node may keep the client's connection while the
-- process behind it ends and another one takes its place. That one may have read an older file: then the mark is there,
-- and locks are not. Or it was the primary before, and has a mark of its own. A client would notice a second later.
--
-- last of KEYS  birth mark: names the process that keeps it behind three groups of numbers
-- ARGV[5]       0 to trust this node's memory
-- last of ARGV  which process the client has seen when it connected
--
-- Returns {6, 0, clock of this node in microseconds}, or goes on. Comes before everything else, so that there is one
-- check and no function: making that costs as much as two commands.

if ARGV[5] ~= '0' then
  local process = string.match(redis.call('GET', KEYS[#KEYS]) or '', '^%S+ %S+ %S+ (%S+)')
  if process ~= ARGV[#ARGV] or not string.find(redis.call('INFO', 'server'), 'run_id:' .. process .. '\r', 1, true) then
    return {6, 0, now}
  end
end

