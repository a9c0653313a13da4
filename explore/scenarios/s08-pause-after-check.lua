-- The client looks at the clock, all is well, and then it is paused: garbage
-- collection, a suspended machine, a slow disk. When it goes on, it writes, and
-- the lock is long somebody else's. No check of the client's can close this
-- window. The resource can: a number that grows with each lock goes along with
-- each write, and what comes with a lower number is refused.

scenario("S8", "A pause after the check")
checks "fencing, ownership, progress"
bounds{pauses = 1, lost = 1, kills = 1}

local acquire = [[
  if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return redis.call('INCR', KEYS[2])
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
    local mine, start = token(), now()
    local number = eval(acquire, {"lock", "fence"}, {mine, 5000})
    if number and now() < start + 5000 then
      enter()
      write(number)
      leave()
      eval(release, {"lock"}, {mine})
    else
      sleep(5500)
    end
  end)
end)

form("no fence", breaks, {
  why = "The check was true when it was made. Only the resource can see that the write comes too late.",
})

form("fenced", holds, {fenced = true})

form("fenced, and the numbers begin anew", breaks, {
  why = "The server lost its counter in a restart, so a number comes twice: the counter must be as safe as the data.",
  fenced = true,
  bounds = {restarts = 1},
})

form("fenced, and the server keeps its data", holds, {
  fenced = true,
  bounds = {restarts = 1, kills = 0},
  restart = {data = "kept"},
})
