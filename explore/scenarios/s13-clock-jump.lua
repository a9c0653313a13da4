-- Redlock counts on the servers' clocks. One of them jumps forward, and its lock
-- is over before its time: a second client gets a majority. A fencing number at
-- the resource would refuse the first one's late write (S8).

scenario("S13", "Redlock, and a clock jumps")
nodes(5)
jump(5001)
bounds{lost = 1, steps = 1}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

clients(3, function()
  attempts(2, function()
    local mine, till = token(), now() + 5000 - 5000 / 100 - 2
    local won = each("SET", "lock", mine, "NX", "PX", 5000)
    if won >= 3 and now() < till then
      believe(till)
      enter()
      work(math.min(3000, till - now()))
      leave()
      believe(0)
    end
    each("EVAL", release, 1, "lock", mine)
    sleep(4000)
  end)
end)

form("one clock jumps", breaks, {
  why = "A had three of five. On one of them five seconds went by at once.",
})

form("no clock jumps", holds, {
  bounds = {steps = 0, pauses = 1, restarts = 1},
  restart = {data = "kept"},
  checks = "exclusion, belief, ownership, progress",
})
