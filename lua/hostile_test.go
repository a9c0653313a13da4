package lua

import (
	"strings"
	"testing"
)

// TestMemoryLimit runs scripts that take more memory than they may. Each ends
// with an error, and the machine is fit for the next one.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	const limited = "script memory limit exceeded"
	for _, source := range []string{
		"return ('x'):rep(2^21)",
		"local s='x' while true do s=s..s end",
		"local s='x' for i=1,1e9 do s=s..('y'):rep(1000) end",
		"local t={} while true do t[#t+1]=1 end",
		"local t={} for i=1,1e9 do t['k'..i]=i end",
		"local t={} while true do t={t} end",
		"local t={} for i=1,1e9 do t[i]=('x'):rep(100)..i end",
		"local t={} for i=1,1e9 do t[i]=tostring(i) end",
		"local t={} for i=1,1e9 do t[i]=function() return i end end",
		"local t={} for i=1,1e9 do t[i]=coroutine.create(function() end) end",
		"local t={} for i=1,1e9 do t[i]=coroutine.wrap(function() coroutine.yield() end) t[i]() end",
		"local t={} for i=1,1e9 do table.insert(t,1,i) end",
		"local t={} for i=1,1e9 do table.insert(t,i) end",
		"local t={} for i=1,1e9 do rawset(t,i,{}) end",
		"local t={} for i=1,1e9 do t[i]=loadstring('return '..i) end",
		"local function f(...) return f(1,...) end f()",
		"local function f() return 1+f() end return f()",
		"local s=('x'):rep(1000) return (s:gsub('.',s):gsub('.',s))",
		"return table.concat({('x'):rep(1e5),('x'):rep(1e5)},('y'):rep(1e6))",
		"return cjson.decode('['..('1,'):rep(1e5)..'1]')",
		"return cjson.decode('['..('{},'):rep(2e4)..'1]')",
		"local t={} for i=1,2000 do t[i]=('x'):rep(100) end return cjson.encode({t,t,t,t,t,t,t,t,t,t})",
		"return cmsgpack.unpack('\\221\\0\\0\\255\\255'..('\\144'):rep(65535))",
		"local t={} for i=1,1e9 do t[i]=redis.call('echo',('x'):rep(500)) end",
		"local t={} while true do local ok,e=pcall(function() while true do t[#t+1]={} end end) if #t>1e6 then return 1 end error(e,0) end",
	} {
		m, h := New("7.0.15"), newMemoryHost()
		m.SetMemoryLimit(1 << 20)
		if got := eval(t, m, h, 2, source, nil, nil); !strings.Contains(got, limited) || !strings.HasPrefix(got, "-ERR ") {
			t.Errorf("%s: got %.200q", source, got)
		}
		if got := eval(t, m, h, 2, "return #(('x'):rep(1e5))", nil, nil); got != ":100000\r\n" {
			t.Errorf("%s: the next script: %q", source, got)
		}
	}
}

// TestMemoryLimitCaught checks that a script that catches the error of the limit
// stays below it.
func TestMemoryLimitCaught(t *testing.T) {
	t.Parallel()
	m := New("7.0.15")
	m.SetMemoryLimit(1 << 20)
	expect(t, m, newMemoryHost(),
		[2]string{"local t={} for i=1,300 do pcall(function() for j=1,100 do t[#t+1]=('x'):rep(100)..#t end end) end return #t<9000 and #t>3000 and 1 or #t", ":1"},
		[2]string{"local ok,e=pcall(string.rep,'x',2^21) return {ok,e}", "*2\r\n$-1\r\n$85\r\nscript memory limit exceeded: a script may use about 1048576 bytes (lua-memory-limit)"},
	)
}

// TestMemoryLimitOfGarbage checks that what a script has let go of does not
// count.
func TestMemoryLimitOfGarbage(t *testing.T) {
	t.Parallel()
	m := New("7.0.15")
	m.SetMemoryLimit(1 << 20)
	expect(t, m, newMemoryHost(),
		[2]string{"local s for i=1,20000 do s=('x'):rep(1000)..i end return #s", ":1005"},
		[2]string{"local t for i=1,20000 do t={i,{i},k=i} end return #t", ":2"},
		[2]string{"for i=1,500 do local t={} for j=1,100 do t[j]=function() return t end end end return 1", ":1"},
		[2]string{"for i=1,2000 do coroutine.wrap(function() coroutine.yield(1) end)() end return 1", ":1"},
		[2]string{"local s,t=('x'):rep(1000),{} for i=1,10000 do t[i]=s end return #t", ":10000"},
		[2]string{"local n=0 for i=1,2000 do n=n+#redis.call('echo',('x'):rep(1000)) end return n", ":2000000"},
	)
}

// TestLongOperations checks that a script can be stopped within a single
// operation of a library that takes long.
func TestLongOperations(t *testing.T) {
	t.Parallel()
	const word = "Script killed by user with SCRIPT KILL."
	long := strings.Repeat("a", 1<<25)
	for _, source := range []string{
		"return #ARGV[1]:rep(3)",
		"return #ARGV[1]:reverse()",
		"return #ARGV[1]:upper()",
		"return ARGV[1]:find('ab',1,true)",
		"return ARGV[1]:find('a-b')",
		"return ARGV[1]:find('.-b')",
		"return ARGV[1]:find('[b]')",
		"return ARGV[1]:match('^(a*)b')",
		"return ARGV[1]:gmatch('b')()",
		"return (ARGV[1]:gsub('a','bb'))",
		"return #string.format('%q',ARGV[1])",
		"return cjson.encode(ARGV[1])",
		"return cjson.decode('\"'..ARGV[1]..'\"')",
		"return cjson.decode((' '):rep(2^24))",
		"return redis.sha1hex(ARGV[1])",
		"return loadstring(ARGV[1])",
		"return loadstring('--'..ARGV[1])",
		"return loadstring('return [['..ARGV[1]..']]')",
		"return loadstring(('a=1 '):rep(1e6))",
		"local t={} for i=1,2e5 do t[i]=i end t[2e5+2]=1 while true do table.insert(t,1,0) end",
		"local t={} for i=1,2e5 do t[i]=i end while true do table.remove(t,1) end",
		"local t={} for i=1,2e5 do t[i]=tostring(i) end while true do table.concat(t) end",
		"local t={} for i=1,2e5 do t[i]=i end while true do cmsgpack.pack(t) end",
		"local t={} for i=1,2e5 do t[i]=i end while true do cjson.encode(t) end",
		"local t={} for i=1,2e5 do t[i]=i end while true do table.maxn(t) end",
		"local t={} for i=1,7000 do t[i]=i end while true do unpack(t) end",
		"local t={} for i=1,2e5 do t[i]=i end table.sort(t,function(a,b) return a*7919%1000<b*7919%1000 end) while true do table.sort(t) end",
		"while true do struct.unpack(('i'):rep(1000),('x'):rep(4000)) end",
	} {
		asked := 0
		h := newMemoryHost()
		h.busy = func() string {
			if asked++; asked < 2 {
				return ""
			}
			return word
		}
		m := New("7.0.15")
		if got := eval(t, m, h, 2, source, nil, []string{long}); !strings.HasPrefix(got, "-ERR "+word) {
			t.Errorf("%s: got %.100q", source, got)
		}
	}
}
