-- Read, add one, write: two clients read the same number, and one of the two
-- additions is lost. Four ways to do it right.

scenario("S25", "Read, modify, write")
locks "n"
bounds{pauses = 1, lost = 1}

local add = [[
  local n = redis.call('GET', KEYS[1])
  redis.call('SET', KEYS[1], n + 1)
  return 1
]]

setup(function() redis("SET", "n", "10") end)

clients(3, function(form)
  local ok, done = pcall(form.add)
  if not ok then
    redis("INCR", "unknown") -- a lost reply: it may have been done
  elseif not done then
    redis("INCR", "given up")
  end
end)

finally(function()
  local n, unknown, given = redis("GET", "n"), redis("GET", "unknown") or 0, redis("GET", "given up") or 0
  if n + unknown + given < 10 + finished() then
    fail("The counter stands at " .. n .. ": an addition is lost.")
  end
end)

form("GET, SET", breaks, {
  why = "Both read the same number, and the second SET knows nothing of the first.",
  add = function() return thin(add, {"n"}) end,
})

form("the same lines as a script", holds, {
  add = function() return redis.call("EVAL", add, 1, "n") end,
})

form("INCR", holds, {
  add = function() return redis.call("INCR", "n") end,
})

form("WATCH", holds, {
  add = function()
    for try = 1, 2 do
      redis.call("WATCH", "n")
      local n = redis.call("GET", "n")
      redis.call("MULTI")
      redis.call("SET", "n", n + 1)
      if redis.call("EXEC") then return true end
    end
  end,
})

form("SET IFEQ", holds, {
  add = function()
    for try = 1, 2 do
      local n = redis.call("GET", "n")
      if redis.call("SET", "n", n + 1, "IFEQ", n) then return true end
    end
  end,
})
