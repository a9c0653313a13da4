-- DEL deletes whatever stands there. If the owner was slow, that is somebody
-- else's lock. A token tells whose lock it is, and the release compares it.

scenario("S3", "DEL without looking at the token")
checks "ownership, progress"
bounds{pauses = 1, lost = 1, kills = 1}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

clients(3, function(form)
  attempts(2, function()
    local mine = form.token()
    if redis("SET", "lock", mine, "NX", "PX", 5000) then
      enter()
      work(form.work)
      leave()
      form.release(mine)
    else
      sleep(5500)
    end
  end)
end)

form("DEL", breaks, {
  why = "The work took longer than the lock lived. DEL asked nobody whose lock it was.",
  work = 6000,
  token = function() return "1" end,
  release = function() return redis("DEL", "lock") end,
})

form("DEL, work within the time", breaks, {
  why = "Even if the work is short enough, a pause makes it long.",
  work = 4000,
  token = function() return "1" end,
  release = function() return redis("DEL", "lock") end,
})

form("a token, compared in a script", holds, {
  work = 6000,
  token = token,
  release = function(mine) return eval(release, {"lock"}, {mine}) end,
})
