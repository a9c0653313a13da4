package lua

import (
	"strings"
	"testing"

	"minikv/resp"
)

// try runs a script on hostile arguments. It may fail, but neither for a fault
// of the machine nor without an end.
func try(t *testing.T, machines []Machine, source string, args ...string) {
	t.Helper()
	for _, m := range machines {
		tryOn(t, m, source, args...)
	}
}

func makeMachines() (out []Machine) {
	for _, machine := range machines {
		out = append(out, machine.make())
	}
	return out
}

func tryOn(t *testing.T, m Machine, source string, args ...string) {
	t.Helper()
	h := newMemoryHost()
	asked := 0
	h.busy = func() string {
		if asked++; asked > 20 {
			return "stopped"
		}
		return ""
	}
	got := eval(t, m, h, 3, source, nil, args)
	if strings.Contains(got, "runtime error") || strings.Contains(got, "inside of the interpreter") {
		t.Fatalf("%q", got)
	}
	if _, n, err := resp.Decode([]byte(got)); err != nil || n != len(got) {
		t.Fatalf("not one reply: %q", got)
	}
}

func FuzzCompile(f *testing.F) {
	for _, r := range recordings(f) {
		f.Add(r.script)
	}
	m := makeMachines()
	f.Fuzz(func(t *testing.T, source string) { try(t, m, source) })
}

func FuzzPatterns(f *testing.F) {
	for _, p := range []string{"%a+", "(a*(.)%w(%s*))", "^%s*(.-)%s*$", "%f[%w]%w+", "%bxy", "[^]]", "[a-]", "%", "(", ")", "()", "%1", "(a)%1", "[%a-z]", "-", "a-b$"} {
		f.Add("hello (world) xay", p, "%1<%0>")
	}
	m := makeMachines()
	f.Fuzz(func(t *testing.T, subject, pattern, replacement string) {
		try(t, m, `local s,p,r=ARGV[1],ARGV[2],ARGV[3]
			pcall(string.find,s,p) pcall(string.match,s,p,2) pcall(string.gsub,s,p,r)
			pcall(string.gsub,s,p,function(...) return select('#',...) end)
			return {pcall(function() local n=0 for a in s:gmatch(p) do n=n+1 end return n end)}`, subject, pattern, replacement)
	})
}

func FuzzFormat(f *testing.F) {
	for _, s := range []string{"%d", "%5.2s|%-10q", "%+08.3f", "%#x%#o", "%c%i%u", "%e%G%g", "%%", "%", "%99.99f", "%-+ #0d"} {
		f.Add(s, "12.5", 3.0)
	}
	m := makeMachines()
	f.Fuzz(func(t *testing.T, format, s string, n float64) {
		try(t, m, "return {pcall(string.format,ARGV[1],ARGV[2],ARGV[3]),pcall(string.format,ARGV[1],tonumber(ARGV[3]),1,2)}", format, s, resp.FormatDouble(n))
	})
}

func FuzzUnpackMessagePack(f *testing.F) {
	for _, s := range []string{"\x01", "\x93\x01\x02\x03", "\x81\xa1a\xca\x3f\x80\x00\x00", "\xdd\xff\xff\xff\xff", "\xdb\xff\xff\xff\xff", "\xcf\xff\xff\xff\xff\xff\xff\xff\xff"} {
		f.Add(s, 0, 0)
	}
	m := makeMachines()
	f.Fuzz(func(t *testing.T, s string, limit, offset int) {
		try(t, m, `pcall(cmsgpack.unpack_limit,ARGV[1],tonumber(ARGV[2]),tonumber(ARGV[3]))
			local r={pcall(cmsgpack.unpack,ARGV[1])} if r[1] then cmsgpack.pack(unpack(r)) end return r`,
			s, resp.FormatDouble(float64(limit)), resp.FormatDouble(float64(offset)))
	})
}

func FuzzDecodeJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":null}],"c":"\u00e9\ud83d\ude00"}`, "[[[[", "-", "+1", "0x10", "nan", `"\u12`, "{", "[1,", "1e999"} {
		f.Add(s)
	}
	m := makeMachines()
	f.Fuzz(func(t *testing.T, s string) {
		try(t, m, "local ok,v=pcall(cjson.decode,ARGV[1]) if ok then pcall(cjson.encode,v) end return {ok,v}", s)
	})
}

func FuzzUnpackStruct(f *testing.F) {
	for _, s := range []string{"<i2", "Bc0", "!4bi4", ">I16", "sd", "x!2f", "i9", "c5", "!3i", "I33", "=", "c99999999999"} {
		f.Add(s, "\x03abcdefghijklmnopq\x00rst", 1)
	}
	m := makeMachines()
	f.Fuzz(func(t *testing.T, format, data string, at int) {
		try(t, m, "pcall(struct.size,ARGV[1]) pcall(struct.pack,ARGV[1],1,2,ARGV[2],4) return {pcall(struct.unpack,ARGV[1],ARGV[2],tonumber(ARGV[3]))}",
			format, data, resp.FormatDouble(float64(at)))
	})
}
