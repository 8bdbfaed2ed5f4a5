-- Comes before every script that needs the clock of this node.
--
-- Leaves `now` and `millis`, this node's clock in microseconds and in milliseconds.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local millis = math.floor(now / 1000)

