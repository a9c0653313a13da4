package rewrite

import "github.com/yuin/gopher-lua/ast"

const (
	// tableWidth is how many elements the compiler can put into one table.
	tableWidth = 25000
	// flushWidth is how many elements it stores at once; it stores them again
	// for every pair that follows such a batch.
	flushWidth = 50
)

// table rewrites a constructor. One with many elements is made in pieces that
// the machine merges, so that elements and pairs do not come together.
func (r *rewriter) table(e *ast.TableExpr) ast.Expr {
	elements := 0
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
	var pieces []ast.Expr
	for len(list) > 0 {
		n := min(len(list), tableWidth)
		pieces = append(pieces, at(&ast.TableExpr{Fields: list[:n:n]}, e))
		list = list[n:]
	}
	if len(pairs) > 0 {
		pieces = append(pieces, at(&ast.TableExpr{Fields: pairs}, e))
	}
	return apply(Merge, e, pieces...)
}
