-- Comes after time.lua, and before a script that changes for how long a lock is read.
--
-- The lock's key ends with the reader whose lease ends last. So each change keeps to that: a key that lasts longer than
-- all entries of readers, by more than a script may take, shows that active expiry has deleted such an entry while the
-- clock was ahead.
local grain = 20

-- Returns whether an entry was deleted: where a lock's key is kept for so long, one reader's entry had this end or 0,
-- and the latest end of those that are there is this one, 0 or less for none.
local function isDeleted(kept, known, latest)
  return millis + kept > math.max(known, latest) + grain
end

