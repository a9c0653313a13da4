-- A watchdog renews the lock while the work goes on: D for A. If it renews
-- without looking, or goes on after the work is done, it prolongs a lock that is
-- somebody else's by now.

scenario("S22", "A watchdog")
checks "ownership, progress"
bounds{pauses = 1, lost = 1, kills = 1}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

local extend = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])
  else
    return 0
  end
]]

local function worker()
  attempts(2, function(attempt)
    local mine = token()
    if redis("SET", "lock", mine, "NX", "PX", 3000) then
      enter()
      work(4000)
      leave()
      eval(release, {"lock"}, {mine})
    else
      sleep(3500)
    end
  end)
end

client("A", worker)
client("B", worker)
client("C", worker)

helper("D", "A", function(form)
  for round = 1, 2 do
    sleep(2000)
    form.renew("A1")
  end
end)

form("renews without looking", breaks, {
  why = "The watchdog renews the lock by its key. Whose it is has changed meanwhile.",
  renew = function() return redis("PEXPIRE", "lock", 4000) end,
})

form("renews by a script that compares", holds, {
  renew = function(mine) return eval(extend, {"lock"}, {mine, 4000}) end,
})

form("renews with SET IFEQ", holds, {
  renew = function(mine) return redis("SET", "lock", mine, "IFEQ", mine, "PX", 4000) end,
})
