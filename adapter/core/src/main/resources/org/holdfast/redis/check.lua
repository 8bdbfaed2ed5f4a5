-- Shows whether this node would take a lock now: writes only over what is there, and nothing is. Comes after time.lua.
--
-- KEYS[1]  a key that no script writes
--
-- Returns {12, 0, clock of this node in microseconds}. A node that takes no writes returns an error: its memory is
-- full, it is a replica, it has fewer replicas than it must have, or it could not save its data.
redis.call('SET', KEYS[1], '', 'XX')
return {12, 0, now}
