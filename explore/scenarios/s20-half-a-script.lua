-- A script runs alone, but it is not all or nothing. If it fails half-way, what
-- it has done stays done.

scenario("S20", "A release script that fails half-way")
checks "ownership, progress"
bounds{pauses = 1, lost = 1, kills = 1}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    redis.call('DEL', KEYS[1])
    redis.call('LPUSH', KEYS[2], '1')
    return 1
  else
    return 0
  end
]]

setup(function() redis("SET", "signal", "a string, not a list") end)

clients(3, function()
  attempts(2, function()
    local mine = token()
    if redis("SET", "lock", mine, "NX", "PX", 5000) then
      enter()
      work(3000)
      leave()
      local done, err = eval(release, {"lock", "signal"}, {mine})
      if err and string.find(err, "^WRONGTYPE") and redis("GET", "lock") == false then
        show("The script answered an error, and yet the lock is gone: isolated, not rolled back.")
      end
    else
      sleep(5500)
    end
  end)
end)

form("DEL, then LPUSH to a string", shows, {
  why = "Redis undoes nothing. Check first, write then.",
})
