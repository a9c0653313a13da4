-- Redlock with slow servers: each SET takes a third of the lock's time. Three OKs
-- are a majority, but when they are all there the first of them is almost over.
-- What counts is what is left: TTL less the time that was spent less the drift.

scenario("S14", "Redlock, acquired too slowly")
nodes(3)
checks "belief, ownership, progress"
bounds{pauses = 1, lost = 1, restarts = 1}
restart{data = "kept"}

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

clients(3, function(form)
  attempts(2, function()
    local mine, start, won = token(), now(), 0
    for i = 1, 3 do
      if node(i, "SET", "lock", mine, "NX", "PX", 3000) then won = won + 1 end
      work(1100)
    end
    local till = form.till(start, now())
    if won >= 2 and now() < till then
      believe(till)
      work(math.min(1000, till - now()))
      believe(0)
    end
    for i = 1, 3 do node(i, "EVAL", release, 1, "lock", mine) end
  end)
end)

form("the time counts from the last OK", breaks, {
  why = "When the last server said OK, the first one's time was nearly over.",
  till = function(_, last) return last + 3000 - 32 end,
})

form("the time counts from the first SET", holds, {
  till = function(start) return start + 3000 - 32 end,
})
