-- Who finds the lock taken waits with BLPOP; the release deletes the lock and
-- pushes a signal. The waiter is served after the script, never inside it, and
-- who waited longest is first. But between the signal and its SET NX somebody
-- else can come by and take the lock.

scenario("S23", "A lock that is handed on with BLPOP")
checks "ownership, progress, exclusion"
bounds{pauses = 1, lost = 1, kills = 1}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    redis.call('DEL', KEYS[1])
    redis.call('LPUSH', KEYS[2], '1')
    redis.call('PEXPIRE', KEYS[2], 5000)
    return 1
  else
    return 0
  end
]]

clients(3, function(form)
  attempts(2, function()
    local mine = token()
    local got = redis("SET", "lock", mine, "NX", "PX", 5000)
    if not got and redis("BLPOP", "signal", 4) then
      got = redis("SET", "lock", mine, "NX", "PX", 5000)
      if got == false then form.robbed() end
    end
    if got then
      enter()
      work(2000)
      leave()
      eval(release, {"lock", "signal"}, {mine})
    end
  end)
end)

form("a late-comer is faster", shows, {
  why = "The signal only says that the lock was free. It reserves nothing.",
  robbed = function() show("The waiter was woken, and the lock is taken already.") end,
})

form("one at a time all the same", holds, {
  robbed = function() end,
})
