-- The lock lives for 5 seconds and the work takes 8: two workers at once. Count
-- the time from before the lock was asked for and stop when it is over, or
-- extend the lock in time; a pause in the middle still defeats both.

scenario("S7", "A TTL shorter than the work")
checks "exclusion, ownership, progress"
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
    local mine, start = token(), now()
    if redis("SET", "lock", mine, "NX", "PX", 5000) then
      enter()
      form.work(mine, start + 5000)
      leave()
      eval(release, {"lock"}, {mine})
    else
      sleep(5500)
    end
  end)
end)

form("work for 8 seconds", breaks, {
  why = "The lock kept its promise of 5 seconds; the work did not.",
  bounds = {pauses = 0},
  work = function() work(8000) end,
})

form("stop when the time is over", narrows, {
  why = "No clock helps while the program does not run.",
  within = {pauses = 0},
  work = function(_, till) work(math.max(till - now(), 0)) end,
})

form("extend in time", narrows, {
  why = "No extension helps while the program does not run.",
  within = {pauses = 0},
  work = function(mine, till)
    work(4000)
    local start = now()
    if eval(extend, {"lock"}, {mine, 5000}) == 1 then
      till = start + 5000
    end
    work(math.min(4000, math.max(till - now(), 0)))
  end,
})
