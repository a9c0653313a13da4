-- Replication is asynchronous: the primary answers OK before its replica has
-- the key. If the primary dies in that moment and the replica takes over, the
-- lock was never there. WAIT makes that rarer, not impossible.

scenario("S10", "A failover loses the lock")
replica()
checks "belief"
bounds{pauses = 1, lost = 1, crashes = 1, failovers = 1}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

clients(3, function(form)
  attempts(2, function()
    local mine, till = token(), now() + 5000
    if redis("SET", "lock", mine, "NX", "PX", 5000) and form.confirmed() and now() < till then
      believe(till)
      enter()
      work(math.min(3000, till - now()))
      leave()
      believe(0)
    end
    eval(release, {"lock"}, {mine})
    sleep(5500)
  end)
end)

form("OK is enough", breaks, {
  why = "The primary had the lock, and nobody else. Its replica never heard of it.",
  confirmed = function() return true end,
})

form("OK and WAIT 1", narrows, {
  why = "WAIT says that a replica had the write, not that it still has it when it takes over.",
  within = {restarts = 0},
  bounds = {restarts = 1},
  confirmed = function() return redis("WAIT", 1, 100) == 1 end,
})
