-- SETNX takes the lock and EXPIRE gives it its time: two commands. Who dies
-- between them leaves a lock without a time to live.

scenario("S2", "SETNX, then EXPIRE")
checks "progress, ownership"
bounds{pauses = 1, lost = 1, kills = 1}

local acquire = [[
  if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return 1
  end
  return false
]]

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
    local ok, got = pcall(form.acquire, mine)
    if ok and got then
      enter()
      work(4000)
      leave()
      eval(release, {"lock"}, {mine})
    else
      sleep(5500)
    end
  end)
end)

form("two commands", breaks, {
  why = "Between SETNX and EXPIRE the lock has no time to live. SET NX PX does both at once.",
  acquire = function(mine) return thin(acquire, {"lock"}, {mine, 5000}) end,
})

form("the same lines as a script", holds, {
  acquire = function(mine) return eval(acquire, {"lock"}, {mine, 5000}) end,
})

form("SET NX PX", holds, {
  acquire = function(mine) return redis("SET", "lock", mine, "NX", "PX", 5000) end,
})
