-- What a random program begins with: log writes down values, tick ends programs
-- that run for long. show writes tables in the order of their keys, unless that
-- depends on addresses.
local concat,select,pairs,type,tostring,error=table.concat,select,pairs,type,tostring,error
local function show(v,d)
 d=d or 0
 if type(v)=='table' then
  if d>2 then return '{..}' end
  local r={}
  for k in pairs(v) do if type(k)~='number' and type(k)~='string' and type(k)~='boolean' then return '{?}' end end
  for k,x in pairs(v) do r[#r+1]=show(k,d+1)..'='..show(x,d+1) end
  return '{'..concat(r,' ')..'}#'..#v
 elseif type(v)=='string' or type(v)=='number' or type(v)=='nil' or type(v)=='boolean' then
  return tostring(v)
 end
 return type(v)
end
return function()
 local out,budget={},300
 local function log(...)
  local r={}
  for i=1,select('#',...) do r[i]=show((select(i,...))) end
  out[#out+1]=concat(r,',')
  if #out>60 then error('enough',0) end
  return ...
 end
 local function tick()
  budget=budget-1
  if budget<0 then error('budget',0) end
  return true
 end
 return log,tick,out,function() return budget end
end
