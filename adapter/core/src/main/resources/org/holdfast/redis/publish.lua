-- Comes before every script that publishes.
--
-- Leaves `publish`, the command by which that is done.
local publish = 'PUBLISH'
