-- Comes before every script that publishes.
--
-- Leaves `publish`, the command by which that is done.
--
-- Scripts call it by redis.pcall: a user that may not publish must not be refused in the middle of a script that has
-- written. What is not announced is done all the same, and waiters find it out when they ask next.
local publish = 'PUBLISH'
