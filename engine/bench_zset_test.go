package engine_test

import (
	"fmt"
	"strconv"
	"testing"
)

var zsetSizes = []int{10, 100, 10_000}

// benchZSet runs a command on sorted sets z of several sizes, whose members are
// member:0, member:1 ... with their numbers as scores; %d stands for half the size.
func benchZSet(b *testing.B, command string) {
	for _, size := range zsetSizes {
		b.Run(fmt.Sprintf("of%d", size), func(b *testing.B) {
			benchCommand(b, fmt.Sprintf(command, size/2), "ZADD z"+manyPairs(size, "%[1]d member:%[1]d"))
		})
	}
}

func BenchmarkZScore(b *testing.B)   { benchZSet(b, "ZSCORE z member:%d") }
func BenchmarkZRank(b *testing.B)    { benchZSet(b, "ZRANK z member:%d") }
func BenchmarkZIncrBy(b *testing.B)  { benchZSet(b, "ZINCRBY z 1 member:%d") }
func BenchmarkZRange(b *testing.B)   { benchZSet(b, "ZRANGE z %[1]d -1 WITHSCORES LIMIT 0 -1") }
func BenchmarkZRange10(b *testing.B) { benchZSet(b, "ZRANGE z -10 %[1]d REV WITHSCORES") }
func BenchmarkZRangeByScore(b *testing.B) {
	benchZSet(b, "ZRANGE z %d inf BYSCORE LIMIT 0 5 WITHSCORES")
}

// BenchmarkZAdd moves members about.
func BenchmarkZAdd(b *testing.B) {
	for _, size := range zsetSizes {
		b.Run(fmt.Sprintf("of%d", size), func(b *testing.B) {
			c := newCaller("ZADD z" + manyPairs(size, "%[1]d member:%[1]d"))
			argv := words("ZADD z 0 m")
			i := uint32(1)
			var score, member [32]byte
			b.ReportAllocs()
			for b.Loop() {
				i = i*1664525 + 1013904223
				argv[2] = strconv.AppendInt(score[:0], int64(i>>8)%int64(size), 10)
				argv[3] = strconv.AppendInt(append(member[:0], "member:"...), int64(i>>16)%int64(size), 10)
				c.do(argv)
			}
		})
	}
}

// BenchmarkZQueue adds the highest and takes the lowest, as a queue by time does.
func BenchmarkZQueue(b *testing.B) {
	c := newCaller("ZADD z" + manyPairs(1000, "%[1]d member:%[1]d"))
	add, pop := words("ZADD z 0 m"), words("ZPOPMIN z")
	i := int64(1000)
	var score, member [32]byte
	b.ReportAllocs()
	for b.Loop() {
		add[2] = strconv.AppendInt(score[:0], i, 10)
		add[3] = strconv.AppendInt(append(member[:0], "member:"...), i, 10)
		c.do(add)
		c.do(pop)
		i++
	}
}

func BenchmarkZUnionStore(b *testing.B) {
	benchCommand(b, "ZUNIONSTORE d 2 a b WEIGHTS 1 2", "ZADD a"+manyPairs(1000, "%[1]d member:%[1]d"), "ZADD b"+manyPairs(500, "%[1]d member:%[1]d"))
}
