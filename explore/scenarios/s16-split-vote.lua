-- Redlock: three clients start at once, none gets two of three, all give back
-- and try again after the same time: and so on for ever. Delays that differ end
-- it, which is why they should be random.

scenario("S16", "Redlock, a split vote")
nodes(3)

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

local function program(delay)
  return function(form)
    attempts(2, function()
      local mine = token()
      if each("SET", "lock", mine, "NX", "PX", 5000) >= 2 then
        redis("INCR", "winners")
      end
      each("EVAL", release, 1, "lock", mine)
      sleep(form.same or delay)
    end)
  end
end

client("A", program(50))
client("B", program(110))
client("C", program(190))

finally(function()
  if finished() == 3 and not redis("GET", "winners") then
    fail("Nobody got the lock in two rounds.")
  end
end)

form("all wait for the same time", breaks, {
  same = 100,
  why = "One, one and one of three: no majority. The second round begins like the first.",
})

form("each waits for another time", holds)
