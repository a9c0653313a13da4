package rewrite

import (
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

const (
	// tableWidth is how many elements the compiler can put into one table.
	tableWidth = 25000
	// flushWidth is how many elements it stores at once; it stores them again
	// for every pair that follows such a batch.
	flushWidth = 50
	// templateWidth is from how many fields on a table of constants is copied
	// from a template: the compiler looks at each constant for every other.
	templateWidth = 64
)

// A Field is a field of a table of constants: nil, a bool, a float64 or a
// string. An element has no key.
type Field struct{ Key, Value any }

// table rewrites a constructor. One with many elements is made in pieces that
// the machine merges, so that elements and pairs do not come together.
func (r *rewriter) table(e *ast.TableExpr) ast.Expr {
	elements := 0
	if fields, ok := constants(e.Fields); ok && len(fields) >= templateWidth {
		return apply(r.Template(fields), e)
	}
	for _, f := range e.Fields {
		f.Value = r.expr(f.Value)
		if f.Key == nil {
			elements++
			continue
		}
		// Of a call with a key at the end the compiler would take all values.
		f.Key, f.Value = r.expr(f.Key), single(f.Value)
	}
	if elements < flushWidth || elements == len(e.Fields) && elements <= tableWidth {
		return e
	}
	return apply(Merge, e, pieces(e)...)
}

// pieces splits a constructor into tables of elements and one of pairs.
func pieces(e *ast.TableExpr) []ast.Expr {
	var list, pairs []*ast.Field
	for i, f := range e.Fields {
		if f.Key != nil {
			pairs = append(pairs, f)
			continue
		}
		if i < len(e.Fields)-1 {
			f.Value = single(f.Value)
		}
		list = append(list, f)
	}
	var out []ast.Expr
	for len(list) > 0 {
		n := min(len(list), tableWidth)
		out = append(out, at(&ast.TableExpr{Fields: list[:n:n]}, e))
		list = list[n:]
	}
	if len(pairs) > 0 {
		out = append(out, at(&ast.TableExpr{Fields: pairs}, e))
	}
	return out
}

// constants returns the fields of a constructor if all of them are constants.
func constants(fields []*ast.Field) ([]Field, bool) {
	if len(fields) < templateWidth {
		return nil, false
	}
	out := make([]Field, len(fields))
	for i, f := range fields {
		v, ok := literal(f.Value)
		if !ok {
			return nil, false
		}
		out[i].Value = v
		if f.Key == nil {
			continue
		}
		if out[i].Key, ok = literal(f.Key); !ok || out[i].Key == nil {
			return nil, false
		}
	}
	return out, true
}

// literal returns the value of a constant as it stands in the source.
func literal(e ast.Expr) (any, bool) {
	switch e := e.(type) {
	case *ast.NilExpr:
		return nil, true
	case *ast.TrueExpr:
		return true, true
	case *ast.FalseExpr:
		return false, true
	case *ast.StringExpr:
		return e.Value, true
	case *ast.NumberExpr:
		n, err := strconv.ParseFloat(e.Value, 64)
		return n, err == nil
	case *ast.UnaryMinusOpExpr:
		n, ok := literal(e.Expr)
		if f, isNumber := n.(float64); ok && isNumber {
			return -f, true
		}
	}
	return nil, false
}
