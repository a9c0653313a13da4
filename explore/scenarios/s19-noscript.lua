-- EVALSHA names a script that the server may have forgotten: after a restart,
-- a failover, SCRIPT FLUSH. A release that does not fall back to EVAL leaves
-- the lock until its time is over.

scenario("S19", "NOSCRIPT on release")
checks "ownership, progress"
bounds{pauses = 1, lost = 1, kills = 1, restarts = 1}
restart{data = "kept"}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

setup(function() redis("SCRIPT", "LOAD", release) end)

clients(3, function(form)
  attempts(2, function()
    local mine = token()
    if redis("SET", "lock", mine, "NX", "PX", 5000) then
      enter()
      work(3000)
      leave()
      local done, err = form.release(mine)
      if err and err ~= "timeout" and redis("GET", "lock") == mine then
        fail("The release failed with " .. string.match(err, "^%w+") .. ", and the lock stays until its time is over.")
      end
    else
      sleep(5500)
    end
  end)
end)

form("EVALSHA alone", breaks, {
  why = "A script's name is worth something only as long as the server remembers the script.",
  release = function(mine) return redis("EVALSHA", sha1(release), 1, "lock", mine) end,
})

form("EVALSHA, else EVAL", holds, {
  release = function(mine)
    local done, err = redis("EVALSHA", sha1(release), 1, "lock", mine)
    if err and string.find(err, "^NOSCRIPT") then
      return eval(release, {"lock"}, {mine})
    end
    return done, err
  end,
})
