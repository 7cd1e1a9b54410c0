package dsl

import "github.com/sipc-ml/sipc/dsl/diag"

// lower turns a parsed statement into its node.
func (r *statementRule) lower(at diag.Span) Decl {
	switch {
	case r.Use != nil:
		use := &Use{At: At{at}, Name: r.Use.Name.Name}
		if r.Use.From != nil {
			use.From = r.Use.From.Text
		}
		return use
	case r.Let != nil:
		return &Let{At: At{at}, Name: r.Let.Name.Name, Value: r.Let.Value.Expr}
	case r.Def != nil:
		return &Def{At: At{at}, Name: r.Def.Name.Name, Params: r.Def.Params.Names, Body: r.Def.Body.Expr}
	case r.Invariance != nil:
		return &Invariance{At: At{at}, Name: r.Invariance.Name.Name, Body: r.Invariance.Body.Expr}
	case r.Evaluate != nil:
		return &Evaluate{At: At{at}, Under: r.Evaluate.Under.Set}
	}
	return &Setting{At: At{at}, Keyword: keyword(r.Setting.Keyword), Value: r.Setting.Value.Expr}
}

// lower turns a parsed item of a data block into its node.
func (r *itemRule) lower(at diag.Span) DataItem {
	switch {
	case r.Target != nil:
		return &Target{At: At{at}, Names: r.Target.Names.Names, Source: r.Target.Names.Source, Type: r.Target.Type.Type}
	case r.Columns != nil:
		columns := &Columns{At: At{at}}
		for _, v := range r.Columns.Values {
			columns.Values = append(columns.Values, v.Value)
		}
		return columns
	}
	option := &Option{At: At{at}, Keyword: keyword(r.Option.Keyword)}
	for _, a := range r.Option.Args {
		option.Args = append(option.Args, a.Arg)
	}
	return option
}

func keyword(t wordCapture) *Ident {
	w := placed(&t)
	return &Ident{At: At{w.span}, Name: w.text, Raw: w.text}
}
