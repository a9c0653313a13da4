-- Runs random programs: reads "length\nprogram" and answers in the same way.
local read,write,flush,sethook,collect=io.read,io.write,io.flush,debug.sethook,collectgarbage
local steps,limited=0,false
local function hook() steps=steps+1 if steps>300 then limited=true error('LIMIT',0) end end
local globals={}
for name in ([[_VERSION assert collectgarbage coroutine error gcinfo getmetatable ipairs load loadstring math
next pairs pcall rawequal rawget rawset select setmetatable string table tonumber tostring type unpack xpcall]]):gmatch('%S+') do
 globals[name]=_G[name]
end
globals.start=(function() %START% end)()
local loadstring,setfenv,error,tostring=loadstring,setfenv,error,tostring
setfenv(0,setmetatable({},{
 __index=function(_,name)
  local v=globals[name]
  if v==nil then error("Script attempted to access nonexistent global variable '"..tostring(name).."'",2) end
  return v
 end,
 __newindex=function() error('Attempt to modify a readonly table',2) end,
}))
-- A program that has changed a library, which Redis does not let it do, is the last.
local libraries={math,string,table,coroutine,getmetatable('')}
local contents={}
for i,library in ipairs(libraries) do
 contents[i]={}
 for k,v in next,library do contents[i][k]=v end
end
local next,ipairs,exit=next,ipairs,os.exit
local function soiled()
 for i,library in ipairs(libraries) do
  for k,v in next,library do if contents[i][k]~=v then return true end end
  for k,v in next,contents[i] do if library[k]~=v then return true end end
 end
end
local run=assert(loadstring([==[%HARNESS%]==],'=user_script'))
local count=0
while true do
 local n=read('*n')
 if not n then break end
 read(1)
 local program=read(n)
 steps,limited=0,false
 collect('stop') -- what a collection finds dead shows in the order of keys
 sethook(hook,'',10000)
 local text=run(program)
 sethook()
 if limited then text='LIMIT' end
 write(#text,'\n',text)
 flush()
 if soiled() then exit() end
 count=count+1
 if count%50==0 then collect() end
end
