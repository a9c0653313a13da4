-- Redlock: the lock is held by whom a majority of independent servers, here two
-- of three, knows as its owner. A server that starts anew with nothing forgets, and gives
-- the lock to a second client. It must stay out until every lock is over.

scenario("S12", "Redlock, and a server forgets")
nodes(3)
checks "belief, ownership, progress"
bounds{pauses = 1, lost = 1, restarts = 1}

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
    if won >= 2 and now() < till then
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

form("one server forgets", breaks, {
  checks = "exclusion",
  bounds = {pauses = 0},
  why = "Two of three knew A's lock. One of them forgot it, and with the third that makes a second majority.",
})

form("it comes back when all locks are over", holds, {
  checks = "agreement, ownership, progress",
  restart = {data = "lost", down = 5001},
})

form("it keeps its data", holds, {
  restart = {data = "kept", down = 1000},
})
