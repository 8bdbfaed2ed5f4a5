-- Comes after lock.lua, and before a script that may grant a lock over one that lingers.
--
-- A lock that lingers may be in force: this node's clock may be ahead for a moment. So a grant over it keeps it, in a
-- line of its own before the others: the moment in milliseconds at which its key expires, and what its key holds. If
-- the grant is undone it stands again, as it was: an attempt leaves nothing behind, whatever the clock shows meanwhile;
-- see undo.lua. A grant that is renewed or ended was a lease, and drops what it has taken over.

-- Replaces the owners in such lines that match a pattern. A lock that stands again then has an owner that cannot
-- release it.
local function disown(over, owners)
  return (string.gsub(over, '([^\n]*)\n', function(line)
    local head = string.match(line, '^(%d+ %d+ %d+) ' .. owners .. '$')
    return head and head .. ' forgotten\n'
  end))
end

-- Returns the lines that come before the new owner's: for what readLock returns of the lock that lingers.
local function takeOver(left, value, over, millis)
  if #over > 2000 then -- one after another has left its lock without a word: of all but the last two it is not known any more whose
    local others, last = string.match(over, '^.-([^\n]*\n)([^\n]*\n)$')
    over = disown(others or '', '[^\n]*') .. (last or '')
  end
  return over .. millis + left + math.ceil(string.match(value, '^%d+') / 1000) .. ' ' .. value .. '\n'
end

-- Returns for how many milliseconds more a lock that was taken over is in force. It may be so if the clock was set back
-- since: when it was taken over it only seemed to have ended. Returns 0 if all have ended, or nothing was taken over.
local function inForceBeneath(over, millis)
  local longest = 0
  for expires, lingers in string.gmatch(over, '(%d+) (%d+) [^\n]*\n') do
    longest = math.max(longest, expires - millis - math.ceil(lingers / 1000))
  end
  return longest
end

