-- WATCH before GET makes EXEC conditional: it answers nil if the key was
-- changed, deleted or has run out since. It must be the same connection: one
-- that was given back to a pool in between watches nothing any more.

scenario("S6", "WATCH, GET, MULTI, DEL, EXEC")
checks "ownership, progress"
bounds{pauses = 1, lost = 1, kills = 1}

local function release(mine, form)
  redis.call("WATCH", "lock")
  if redis.call("GET", "lock") == mine then
    form.between()
    redis.call("MULTI")
    redis.call("DEL", "lock")
    if redis.call("EXEC") == false then
      form.refused()
    end
  else
    redis.call("UNWATCH")
  end
end

clients(3, function(form)
  attempts(2, function()
    local mine = token()
    if redis("SET", "lock", mine, "NX", "PX", 5000) then
      enter()
      work(4000)
      leave()
      pcall(release, mine, form) -- the first error ends it
    else
      sleep(5500)
    end
  end)
end)

form("on one connection", holds, {
  between = function() end,
  refused = function() end,
})

form("what EXEC answers", shows, {
  why = "The lock ran out between WATCH and EXEC, so EXEC did nothing and said so.",
  between = function() end,
  refused = function() show("EXEC answers nil: the lock is not what was watched, and is left alone.") end,
})

form("through a pool", breaks, {
  why = "RESET, as a pool does it, forgets what was watched; EXEC then asks nothing.",
  between = function() redis("RESET") end,
  refused = function() end,
})
