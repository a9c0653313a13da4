package vm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"minikv/lua/lib"
)

// order writes a table's pairs in their order.
func order(t *Table) string {
	var out []string
	t.Pairs(func(k, v Value) {
		x, _ := k.Text()
		y, _ := v.Text()
		out = append(out, x+"="+y)
	})
	return strings.Join(out, " ")
}

// TestOrderOfFields checks the order of string keys against Redis 7.0.15.
func TestOrderOfFields(t *testing.T) {
	t.Parallel()
	h := NewTable(0, 0)
	for i := 1; i <= 10; i++ {
		h.SetField(fmt.Sprint("k", i), Number(float64(i)))
	}
	if got := order(h); got != "k9=9 k8=8 k1=1 k3=3 k2=2 k10=10 k6=6 k7=7 k4=4 k5=5" {
		t.Error(got)
	}
}

// TestBorders checks # on tables with holes against Redis 7.0.15.
func TestBorders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		build func(h *Table)
		want  int
	}{
		{func(h *Table) { h.setInt(2, True) }, 0},
		{func(h *Table) { h.setInt(1e6, True) }, 0},
		{func(h *Table) { h.setInt(1, True); h.setInt(3, True) }, 1},
		{func(h *Table) {
			for i := 1; i <= 10; i++ {
				h.setInt(i, True)
			}
			for i := 5; i <= 8; i++ {
				h.setInt(i, Value{})
			}
		}, 4},
	} {
		h := NewTable(0, 0)
		c.build(h)
		if got := h.Len(); got != c.want {
			t.Errorf("got %d, want %d", got, c.want)
		}
	}
}

// TestTableAgainstMap makes random changes to a table and to a Go map.
func TestTableAgainstMap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		h, m := NewTable(r.IntN(5), r.IntN(5)), map[string]Value{}
		for range r.IntN(400) {
			k := Number(float64(r.IntN(60) - 5))
			switch r.IntN(4) {
			case 0:
				k = String(fmt.Sprint("s", r.IntN(40)))
			case 1:
				k = Number(float64(r.IntN(20)) / 4)
			}
			v := Number(float64(r.IntN(1000)))
			name := fmt.Sprint(k.Kind(), k.toLib().Num, k.toLib().Str)
			if r.IntN(3) == 0 {
				v = Value{}
				delete(m, name)
			} else {
				m[name] = v
			}
			h.set(k, v)
			if h.get(k) != v {
				t.Fatalf("%v = %v reads back as %v", k, v, h.get(k))
			}
		}
		n := 0
		h.Pairs(func(k, v Value) {
			n++
			if want := m[fmt.Sprint(k.Kind(), k.toLib().Num, k.toLib().Str)]; want != v {
				t.Errorf("%v = %v, want %v", k, v, want)
			}
		})
		if n != len(m) {
			t.Errorf("%d pairs, want %d", n, len(m))
		}
		if l := h.Len(); h.getInt(l+1).p != nil || l > 0 && h.getInt(l).p == nil {
			t.Errorf("%d is no border", l)
		}
	}
}

// TestNextWhileRemoving checks that a table can be emptied on the way.
func TestNextWhileRemoving(t *testing.T) {
	t.Parallel()
	h := NewTable(0, 0)
	for i := range 100 {
		h.SetField(fmt.Sprint(i), True)
		h.setInt(i*3, True)
	}
	n := 0
	for k, _, _ := h.after(0); k.p != nil; k, _, _ = h.after(h.place(k)) {
		h.set(k, Value{})
		n++
	}
	if n != 200 {
		t.Errorf("%d pairs", n)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	h := NewTable(0, 0)
	for v, kind := range map[Value]lib.Kind{
		{}: lib.Nil, True: lib.Boolean, False: lib.Boolean, Null: lib.LightUserdata, Number(0): lib.Number,
		String(""): lib.String, String("x"): lib.String, TableValue(h): lib.Table,
		Number(lib.NaN()): lib.Number, Number(5e-324): lib.Number,
	} {
		if v.Kind() != kind {
			t.Errorf("%v is a %v, want %v", v, v.Kind(), kind)
		}
		if back := fromLib(v.toLib()); back != v {
			t.Errorf("%v comes back as %v", v, back)
		}
	}
	if rawEqual(Number(lib.NaN()), Number(lib.NaN())) || !rawEqual(Number(0), Number(math.Copysign(0, -1))) {
		t.Error("NaN or -0")
	}
}
