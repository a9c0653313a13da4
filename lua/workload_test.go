package lua

import "testing"

// workloads are scripts that take long enough to be timed by themselves; the
// names say what they stress.
var workloads = []struct{ name, source string }{
	{"mod", "local s=0 for i=1,5e6 do s=s+i%7 end return s"},
	{"fib", "local function fib(n) if n<2 then return n end return fib(n-1)+fib(n-2) end return fib(27)"},
	{"array", "local t={} for i=1,1e6 do t[i]=i end local s=0 for i=1,1e6 do s=s+t[i] end return s"},
	{"hash", "local t={} for i=1,200000 do t['key'..i]=i end local s=0 for i=1,200000 do s=s+t['key'..i] end return s"},
	{"concat", "local s for i=1,300000 do s='a'..i..'b' end return s"},
	{"gsub", "return select(2,string.gsub(('hello worl'):rep(24000),'o','0'))"},
	{"split", "local n=0 for w in string.gmatch(('abcdefghi,'):rep(10000),'[^,]+') do n=n+1 end return n"},
	{"find", "local s=('a'):rep(10000)..'b' local n=0 for i=1,200 do n=n+string.find(s,'b+') end return n"},
	{"byte", "local s,n='hello',0 for i=1,1e6 do n=n+s:byte(2) end return n"},
	{"sort", "local t={} for i=1,100000 do t[i]=i*7919%100003 end table.sort(t) return t[1]"},
	{"sortBy", "local t={} for i=1,50000 do t[i]=i*7919%50021 end table.sort(t,function(a,b) return a>b end) return t[1]"},
	{"tableConcat", "local t={} for i=1,4000 do t[i]='item'..i end local n=0 for i=1,50 do n=n+#table.concat(t,',') end return n"},
	{"format", "local s for i=1,200000 do s=string.format('%d:%s:%5.2f',i,'abc',i/3) end return s"},
	{"method", "local C={} C.__index=C function C:add(n) self.v=self.v+n end local o=setmetatable({v=0},C) for i=1,2e6 do o:add(i) end return o.v"},
	{"closure", "local s=0 for i=1,1e6 do local f=function() return i end s=s+f() end return s"},
	{"pop", "local t={} for i=1,20000 do t[i]=i end while #t>0 do t[#t]=nil end return #t"},
	{"drain", "local t={} for i=1,10000 do t['k'..i]=i end local n=0 while true do local k=next(t) if not k then break end t[k]=nil n=n+1 end return n"},
	{"sparse", "local t={} t[50000000]=1 return 1"},
	{"constants", "local t={} for i=1,5000 do t[i]='\"k'..i..'\"' end return #loadstring('return {'..table.concat(t,',')..'}')()"},
	{"pcall", "local n=0 for i=1,50000 do if not pcall(error,'x') then n=n+1 end end return n"},
	{"coroutine", "local co=coroutine.wrap(function() while true do coroutine.yield(1) end end) local n=0 for i=1,200000 do n=n+co() end return n"},
	{"insertFirst", "local t={} for i=1,20000 do table.insert(t,1,i) end return #t"},
	{"append", "local s='' for i=1,20000 do s=s..'x' end return #s"},
	{"pairs", "local t={} for i=1,1000 do t['k'..i]=i end local n=0 for r=1,300 do for k,v in pairs(t) do n=n+v end end return n"},
	{"json", `local s='{"user":"bob","id":17,"tags":["x","y"],"ok":true,"n":null}' for i=1,20000 do s=cjson.encode(cjson.decode(s)) end return s`},
}

func BenchmarkWorkload(b *testing.B) {
	for _, w := range workloads {
		for _, machine := range machines {
			b.Run(w.name+"/"+machine.name, func(b *testing.B) { benchmarkOn(b, machine.make(), w.source) })
		}
	}
}
