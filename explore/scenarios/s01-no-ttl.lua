-- A lock without a time to live. If its owner dies, nobody will ever get in:
-- PTTL answers -1, and it stays so.

scenario("S1", "No time to live")
checks "progress, ownership"
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
    if form.acquire(mine) then
      enter()
      work(4000)
      leave()
      eval(release, {"lock"}, {mine})
    else
      sleep(5500)
    end
  end)
end)

form("SET NX", breaks, {
  why = "Only its owner would give it back. PX 5000 in the same command frees it when the owner cannot.",
  acquire = function(mine) return redis("SET", "lock", mine, "NX") end,
})

form("SET NX PX", holds, {
  acquire = function(mine) return redis("SET", "lock", mine, "NX", "PX", 5000) end,
})
