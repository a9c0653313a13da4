-- A script runs alone: one that does not end stops the whole server. After five
-- seconds others are answered BUSY instead of nothing, and SCRIPT KILL ends the
-- script, unless it has written: then only SHUTDOWN NOSAVE is left.

scenario("S21", "A script without an end")
bounds{pauses = 1, lost = 1, kills = 1}

client("A", function(form)
  redis("EVAL", form.script, 0)
end)

for _, name in ipairs{"B", "C"} do
  client(name, function(form)
    for try = 1, 2 do
      local _, err = redis("GET", "n")
      if err and string.find(err, "^BUSY") then
        local killed, refused = redis("SCRIPT", "KILL")
        form.seen(killed, refused)
      end
      sleep(1000)
    end
  end)
end

form("before it writes", shows, {
  why = "Nobody was served meanwhile. That is the price of running alone.",
  script = "while true do end",
  seen = function(killed)
    if killed then show("GET was answered BUSY, and SCRIPT KILL has ended the script.") end
  end,
})

form("after it has written", shows, {
  why = "Killing it would leave half of what it does, so Redis refuses.",
  script = "redis.call('SET', 'n', '1') while true do end",
  seen = function(_, refused)
    if refused and string.find(refused, "^UNKILLABLE") then
      show("SCRIPT KILL is refused: the script has written. Only SHUTDOWN NOSAVE ends it.")
    end
  end,
})
