-- MULTI and EXEC run as one step, but inside them GET answers only QUEUED: what
-- it finds is known when EXEC has run, and then the DEL has run too.

scenario("S5", "MULTI cannot branch")
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
    local mine = token()
    if redis("SET", "lock", mine, "NX", "PX", 5000) then
      enter()
      work(4000)
      leave()
      form.release(mine)
    else
      sleep(5500)
    end
  end)
end)

form("GET and DEL in MULTI", breaks, {
  why = "EXEC answered whose lock it was, together with the news that it is deleted.",
  release = function()
    redis("MULTI")
    redis("GET", "lock")
    redis("DEL", "lock")
    return redis("EXEC")
  end,
})

form("a script, which can branch", holds, {
  release = function(mine) return eval(release, {"lock"}, {mine}) end,
})
