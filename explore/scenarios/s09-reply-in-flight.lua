-- The lock is taken, but the reply is slow, or its reader is. Who reads the
-- clock when the reply is there believes to hold the lock for longer than it
-- does. The time counts from before the command was sent.

scenario("S9", "A pause while the reply is in flight")
checks "belief, ownership, progress"
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
    local mine, before = token(), now()
    local got = redis("SET", "lock", mine, "NX", "PX", 5000)
    local till = form.since(before, now()) + 5000
    if got and now() < till then
      believe(till)
      enter()
      work(math.min(3000, till - now()))
      leave()
      believe(0)
      eval(release, {"lock"}, {mine})
    else
      sleep(5500)
    end
  end)
end)

form("the clock is read after the reply", breaks, {
  why = "The reply is old news: the server has counted the time since it set the key.",
  since = function(_, after) return after end,
})

form("the clock is read before sending", holds, {
  since = function(before) return before end,
})
