package dsl

// Walk calls visit for a node and, if visit returns true, for everything below it, in the order of the source. Nodes
// are statements, items of data blocks, expressions, arguments, aggregations and binders. Names that are defined or
// bound are visited as *Ident, too: those of a statement, a parameter, an argument or a binder.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, c := range Children(n) {
		Walk(c, visit)
	}
}

// Children returns the nodes directly below a node, in the order of the source.
func Children(n Node) []Node {
	var c children
	switch n := n.(type) {
	case Decl:
		c.statement(n)
	case DataItem:
		c.item(n)
	case *Relation:
		c.relation(n)
	case *Arg:
		c.ident(n.Name)
		c.expr(n.Value)
	case *TypedColumn:
		c.typed(n)
	case *Agg:
		c.expr(n.Arg)
	case *Binder:
		c.idents(n.Vars)
		c.expr(n.In)
	case Expr:
		c.below(n)
	}
	return c
}

type children []Node

// statement adds what is directly below a statement.
func (c *children) statement(n Decl) {
	switch n := n.(type) {
	case *Use:
		c.ident(n.Name)
		if n.From != nil {
			c.expr(n.From)
		}
	case *Include:
		c.expr(n.Path)
	case *Data:
		for _, it := range n.Items {
			*c = append(*c, it)
		}
	case *Let:
		c.ident(n.Name)
		c.expr(n.Value)
	case *Setting:
		c.exprs(n.Values())
		c.expr(n.Under)
	case *Def:
		c.ident(n.Name)
		c.idents(n.Params)
		c.expr(n.Body)
	case *Invariance:
		c.ident(n.Name)
		c.expr(n.Body)
	case *Require:
		c.ident(n.Name)
		*c = append(*c, n.Holds)
	case *Expect:
		c.expr(n.Cond)
	case *Evaluate:
		c.expr(n.Under)
	case *Augment:
		c.expr(n.Set)
	}
}

func (c *children) relation(n *Relation) {
	c.exprs(n.Sides)
	for _, b := range n.Over {
		*c = append(*c, b)
	}
	c.expr(n.Where)
}

func (c *children) ident(id *Ident) {
	if id != nil {
		*c = append(*c, id)
	}
}

func (c *children) idents(ids []*Ident) {
	for _, id := range ids {
		c.ident(id)
	}
}

func (c *children) expr(e Expr) {
	if e != nil {
		*c = append(*c, e)
	}
}

func (c *children) exprs(list []Expr) {
	for _, e := range list {
		c.expr(e)
	}
}

func (c *children) args(args []*Arg) {
	for _, a := range args {
		*c = append(*c, a)
	}
}

func (c *children) item(n DataItem) {
	switch n := n.(type) {
	case *Target:
		c.idents(n.Names)
		if n.Source != nil {
			c.expr(n.Source)
		}
		c.expr(n.Type)
	case *Columns:
		for _, v := range n.Values {
			c.expr(v)
		}
	case *Types:
		for _, t := range n.Columns {
			*c = append(*c, t)
		}
	case *SplitBy:
		c.ident(n.Column)
	case *Option:
		c.args(n.Args)
	}
}

func (c *children) typed(n *TypedColumn) {
	c.ident(n.Name)
	c.ident(n.Word)
	if n.Within != nil {
		c.expr(n.Within)
	}
	if n.Values != nil {
		c.expr(n.Values)
	}
}

func (c *children) below(e Expr) {
	switch e := e.(type) {
	case *Paren:
		c.expr(e.X)
	case *Neg:
		c.expr(e.X)
	case *Not:
		c.expr(e.X)
	case *Abs:
		c.expr(e.X)
	case *Binary:
		c.expr(e.X)
		c.expr(e.Y)
	case *Call:
		c.ident(e.Fun)
		c.args(e.Args)
	case *Apply:
		c.expr(e.Map)
		c.expr(e.To)
	case *Set:
		c.exprs(e.Elems)
	case *Orbit:
		c.args(e.Args)
		c.expr(e.Set)
	case *Tuple:
		c.exprs(e.Elems)
	case *Interval:
		c.expr(e.Lo)
		c.expr(e.Hi)
	case *Deriv:
		c.ident(e.With)
		c.expr(e.Of)
	case *Aggregate:
		*c = append(*c, e.Op, e.Set)
	case *Quant:
		*c = append(*c, e.Op, e.Bind)
		for _, b := range e.More {
			*c = append(*c, b)
		}
		c.expr(e.Where)
		c.expr(e.Body)
	}
}

// Holds reports whether a condition is true of a node or of something below it.
func Holds(n Node, is func(Node) bool) bool {
	found := false
	Walk(n, func(n Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// Bare returns an expression without the brackets around it.
func Bare(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}

// Called splits `word` and `word(args)`, which settings, types and index sets have in common: brackets may be left out where
// all arguments have defaults. The name is nil for anything else.
func Called(e Expr) (*Ident, []*Arg) {
	switch e := e.(type) {
	case *Ident:
		return e, nil
	case *Call:
		return e.Fun, e.Args
	}
	return nil, nil
}
