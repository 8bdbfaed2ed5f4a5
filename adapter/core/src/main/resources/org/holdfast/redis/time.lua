-- Comes before every script that needs the clock of this node.
--
-- Leaves `now` and `millis`, this node's clock in microseconds and in milliseconds; and `slotSince`, since when this
-- node has all that was granted in the slot of the lock, by the same clock: always, unless shard.lua knows better. And
-- `remembersSlot`, whether a command without keys must come between two that use keys of several slots, see shard.lua.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local millis = math.floor(now / 1000)
local slotSince = 0
local remembersSlot = false
