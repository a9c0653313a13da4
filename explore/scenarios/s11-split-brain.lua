-- The primary is cut off from its replica, but not from A. The replica takes
-- over for everybody else. Both servers say yes, and two clients hold the lock.

scenario("S11", "The old primary goes on")
replica()
checks "belief, ownership"
bounds{pauses = 1, lost = 1, cuts = 1, failovers = 1}

local extend = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])
  else
    return 0
  end
]]

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

-- A is on the old primary's side of the cut: node 1, whatever happens.
client("A", function(form)
  attempts(2, function()
    local mine, till = token(), now() + 5000
    if node(1, "SET", "lock", mine, "NX", "PX", 5000) and form.confirmed(1) and now() < till then
      believe(till)
      work(math.min(3000, till - now()))
      local start = now()
      if node(1, "EVAL", extend, 1, "lock", mine, 5000) == 1 and form.confirmed(1) then
        till = start + 5000
        believe(till)
      end
      work(math.min(3000, math.max(till - now(), 0)))
      believe(0)
    end
    node(1, "EVAL", release, 1, "lock", mine)
    sleep(6000)
  end)
end)

-- B and C find out which server is the primary.
clients(2, function(form)
  attempts(2, function()
    local mine, till = token(), now() + 5000
    if redis("SET", "lock", mine, "NX", "PX", 5000) and form.confirmed(0) and now() < till then
      believe(till)
      work(math.min(3000, till - now()))
      believe(0)
    end
    eval(release, {"lock"}, {mine})
    sleep(5500)
  end)
end)

form("A asks its server alone", breaks, {
  why = "A cannot tell a primary that is cut off from one that is not.",
  confirmed = function() return true end,
})

form("each write is confirmed by WAIT", holds, {
  bounds = {pauses = 0},
  confirmed = function(at) return node(at, "WAIT", 1, 100) == 1 end,
})
