-- Redlock: A's SET was done on a server, but the reply got lost. A does not
-- reach a majority and gives back what it knows to hold: that server stays
-- locked until the time is over. Release on all servers, whatever they said.

scenario("S15", "Redlock, a failure that is not cleaned up")
nodes(3)
checks "ownership, progress"
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
    local mine, said, won = token(), {}, 0
    for i = 1, 3 do
      said[i] = node(i, "SET", "lock", mine, "NX", "PX", 5000)
      if said[i] then won = won + 1 end
    end
    if won >= 2 then
      work(2000)
      each("EVAL", release, 1, "lock", mine)
    else
      for i = 1, 3 do
        if form.all or said[i] then node(i, "EVAL", release, 1, "lock", mine) end
      end
      for i = 1, 3 do
        if node(i, "GET", "lock") == mine then
          fail("A client has given up, and server " .. i .. " stays locked for it.")
        end
      end
    end
    sleep(2500)
  end)
end)

form("release where it said OK", breaks, {
  why = "A lost reply says nothing about what the server did.",
})

form("release everywhere", holds, {all = true})
