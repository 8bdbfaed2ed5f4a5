-- Reports a grant. Comes after acquire.lua.
return {1, 0, now}
