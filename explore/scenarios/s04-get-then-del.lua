-- A release that looks before it deletes. GET and DEL are two commands: between
-- them the lock can run out and go to somebody else. The same lines, sent as
-- one script, have no such gap.

scenario("S4", "GET, then DEL")
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

form("two commands", breaks, {
  why = "It was A's lock when A looked, and B's when A deleted it.",
  release = function(mine) return thin(release, {"lock"}, {mine}) end,
})

form("one script", holds, {
  release = function(mine) return eval(release, {"lock"}, {mine}) end,
})

form("DELEX IFEQ", holds, {
  release = function(mine) return redis("DELEX", "lock", "IFEQ", mine) end,
})

form("DELIFEQ", holds, {
  release = function(mine) return redis("DELIFEQ", "lock", mine) end,
})

local function watched(call, mine)
  call("WATCH", "lock")
  if call("GET", "lock") == mine then
    call("MULTI")
    call("DEL", "lock")
    call("EXEC")
  else
    call("UNWATCH")
  end
end

form("WATCH", holds, {
  release = function(mine) return pcall(watched, redis.call, mine) end, -- the first error ends it
})

form("WATCH, and errors are overlooked", breaks, {
  why = "MULTI was lost with its connection, so DEL ran at once, on a new one that watches nothing.",
  release = function(mine) return watched(redis, mine) end,
})
