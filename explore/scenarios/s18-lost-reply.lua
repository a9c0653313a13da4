-- SET NX was done, but its reply got lost. The client tries again with the same
-- token and is refused, by itself, until the time of its own lock is over.

scenario("S18", "A lost reply and a lock against oneself")
checks "ownership, progress"
bounds{pauses = 1, lost = 1, kills = 1}
timeout(300)

local release = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
  else
    return 0
  end
]]

local acquire = [[
  if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])
  end
  return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
]]

clients(3, function(form)
  local mine = token()
  for try = 1, 3 do
    if form.acquire(mine) then
      enter()
      work(2000)
      leave()
      return eval(release, {"lock"}, {mine})
    end
    sleep(2600)
  end
end)

form("try again", breaks, {
  why = "A time-out is no refusal: the command may have been done.",
  acquire = function(mine)
    local got, err = redis("SET", "lock", mine, "NX", "PX", 5000)
    if got == false and redis("GET", "lock") == mine then
      fail("A client is kept out by its own lock.")
    end
    return got
  end,
})

form("look whose it is", holds, {
  acquire = function(mine)
    return redis("SET", "lock", mine, "NX", "PX", 5000) or redis("GET", "lock") == mine
  end,
})

form("a script that knows its token", holds, {
  acquire = function(mine)
    local got = eval(acquire, {"lock"}, {mine, 5000})
    if got == false and redis("GET", "lock") == mine then
      fail("A client is kept out by its own lock.")
    end
    return got
  end,
})

form("release, then try again", holds, {
  acquire = function(mine)
    eval(release, {"lock"}, {mine})
    local got = redis("SET", "lock", mine, "NX", "PX", 5000)
    if got == false and redis("GET", "lock") == mine then
      fail("A client is kept out by its own lock.")
    end
    return got
  end,
})
