-- Makes a slot that has come to this node wait as long as this node itself, see shard.lua: it may have come without its
-- keys. Comes after quarantine.lua.
local forgottenByProcess = forgotten
forgotten = function(lingerMicros)
  local refusal = forgottenByProcess(lingerMicros)
  local whole = slotSince + quarantineOf(lingerMicros)
  if not refusal and now < whole then
    refusal = {7, (whole - now) / 1000, now}
  end
  return refusal
end

