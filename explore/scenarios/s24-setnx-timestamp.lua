-- The old pattern: the value is the time at which the lock ends, and who finds
-- it over takes it. Two clients see the same old stamp; both delete it, both
-- take the lock. GETSET tells who was first.

scenario("S24", "SETNX with a time stamp")
checks "exclusion"
bounds{pauses = 1, lost = 1}

setup(function() redis("SET", "lock", "0") end) -- of an owner who died long ago

clients(3, function(form)
  attempts(2, function()
    local stamp = now() + 9000
    if redis("SETNX", "lock", stamp) == 1 or form.takeover(stamp) then
      enter()
      work(1000)
      leave()
      if now() < stamp then
        redis("DEL", "lock")
      end
    else
      sleep(1500)
    end
  end)
end)

form("DEL, then SETNX", breaks, {
  why = "Both saw the old stamp; the second DEL deleted the first one's new lock.",
  takeover = function(stamp)
    local old = tonumber(redis("GET", "lock") or nil)
    if old and old < now() + 1 then
      redis("DEL", "lock")
      return redis("SETNX", "lock", stamp) == 1
    end
  end,
})

form("GETSET", holds, {
  takeover = function(stamp)
    local old = tonumber(redis("GET", "lock") or nil)
    if old and old < now() + 1 then
      return tonumber(redis("GETSET", "lock", stamp) or nil) == old
    end
  end,
})
