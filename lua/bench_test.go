package lua

import (
	"testing"

	"minikv/resp"
)

// replyHost answers every command at once, so that a benchmark measures the
// machine alone.
type replyHost struct{ memoryHost }

func (h *replyHost) Call(argv [][]byte, out *resp.Writer) {
	if len(argv[0]) == 3 && argv[0][0] == 'd' {
		out.Int(1)
		return
	}
	out.Bulk(token)
}

var token = []byte("token")

func benchmark(b *testing.B, source string) {
	b.Helper()
	for _, m := range machines {
		b.Run(m.name, func(b *testing.B) { benchmarkOn(b, m.make(), source) })
	}
}

func benchmarkOn(b *testing.B, m Machine, source string) {
	b.Helper()
	b.ReportAllocs()
	h := &replyHost{}
	s, err := m.Compile([]byte(source))
	if err != nil {
		b.Fatal(err)
	}
	keys, args := [][]byte{[]byte("lock")}, [][]byte{token}
	var out resp.Writer
	for b.Loop() {
		out.Reset()
		m.Run(s, h, keys, args, &out)
	}
}

const release = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end"

func BenchmarkRelease(b *testing.B)  { benchmark(b, release) }
func BenchmarkConstant(b *testing.B) { benchmark(b, "return 1") }
func BenchmarkLoop(b *testing.B) {
	benchmark(b, "local s=0 for i=1,1000 do s=s+i end return s")
}
func BenchmarkMod(b *testing.B) {
	benchmark(b, "local s=0 for i=1,1000 do s=s+i%7 end return s")
}
func BenchmarkFib(b *testing.B) {
	benchmark(b, "local function fib(n) if n<2 then return n end return fib(n-1)+fib(n-2) end return fib(15)")
}
func BenchmarkConcat(b *testing.B) {
	benchmark(b, "local s for i=1,1000 do s='a'..i..'b' end return s")
}
func BenchmarkGSub(b *testing.B) {
	benchmark(b, "return (string.gsub(('hello world '):rep(100),'o','0'))")
}
func BenchmarkSort(b *testing.B) {
	benchmark(b, "local t={} for i=1,1000 do t[i]=i*7919%1000 end table.sort(t) return t[1]")
}
func BenchmarkJSON(b *testing.B) {
	benchmark(b, `return cjson.encode(cjson.decode('{"user":"bob","id":17,"tags":["x","y"],"ok":true,"n":null}'))`)
}
func BenchmarkPCallError(b *testing.B) {
	benchmark(b, "return pcall(error,'x')")
}
func BenchmarkStatusReply(b *testing.B) {
	benchmark(b, "return redis.status_reply('OK')")
}
func BenchmarkByte(b *testing.B) {
	benchmark(b, "local s,n='hello',0 for i=1,1000 do n=n+s:byte(2) end return n")
}
func BenchmarkCompile(b *testing.B) {
	for _, machine := range machines {
		b.Run(machine.name, func(b *testing.B) {
			b.ReportAllocs()
			m := machine.make()
			for b.Loop() {
				if _, err := m.Compile([]byte(release)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
