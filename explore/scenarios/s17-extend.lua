-- An extension that does not compare brings a lost lock back to life, on top of
-- whoever holds it now. Extending a lock that has run out must fail.

scenario("S17", "An extension that does not compare")
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

clients(3, function(form)
  attempts(2, function()
    local mine = token()
    if redis("SET", "lock", mine, "NX", "PX", 5000) then
      enter()
      work(4000)
      form.extend(mine)
      work(2000)
      leave()
      eval(release, {"lock"}, {mine})
    else
      sleep(5500)
    end
  end)
end)

form("SET PX", breaks, {
  why = "A plain SET asks nothing: it takes the lock away from whoever has it.",
  extend = function(mine) return redis("SET", "lock", mine, "PX", 5000) end,
})

form("SET XX PX", breaks, {
  why = "XX asks only whether there is a lock, not whose it is.",
  extend = function(mine) return redis("SET", "lock", mine, "XX", "PX", 5000) end,
})

form("PEXPIRE", breaks, {
  why = "PEXPIRE prolongs whatever lock is there, here another's.",
  extend = function() return redis("PEXPIRE", "lock", 9000) end,
})

form("a script that compares", holds, {
  extend = function(mine) return eval(extend, {"lock"}, {mine, 9000}) end,
})

form("SET IFEQ", holds, {
  extend = function(mine) return redis("SET", "lock", mine, "IFEQ", mine, "PX", 9000) end,
})
