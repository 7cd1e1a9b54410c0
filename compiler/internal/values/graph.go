package values

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
)

// weightWord names the column of weights of a file of edges. Weights multiply what stands under the
// quantifier, so that they must not be negative.
const weightWord = "weight"

// Graph reads the arguments of graph("edges.csv", weight = COLUMN), and the file. A file is read
// once, and parsed once for each column of weights. Nil means that something is wrong with either,
// which is reported: a graph that cannot be read is found before any data are.
func Graph(p *names.Pass, call *dsl.Call, sc *names.Scope) *tree.GraphFile {
	weighed := len(call.Args) == 2 && call.Args[1].Name != nil && call.Args[1].Name.Name == weightWord
	if code := wrongArguments(call, weighed); code != "" {
		p.Report(&diag.Diagnostic{Code: code, Subject: call.Span(), Summary: "graph takes the name of one file, and may take weight", Mend: `Write graph("edges.csv"), or graph("edges.csv", weight = w) for a column w of the file.`})
		return nil
	}
	arg := call.Args[0].Value
	name, ok := FileName(p, arg, sc)
	if !ok {
		return nil
	}
	weight := ""
	if weighed {
		arg = call.Args[1].Value
		if weight, ok = Literal(p, arg, sc, "the name of a column of the file", true); !ok {
			return nil
		}
		if weight = strings.TrimSpace(weight); weight == "" {
			p.Report(&diag.Diagnostic{
				Code: codes.WrongWeight, Subject: arg.Span(), Summary: "the name of the column of weights is empty",
				Mend: "Name a column of the file, as in weight = w, or leave weight out.",
			})
			return nil
		}
	}
	content, ok := p.ReadFile(name, call.Args[0].Value.Span())
	if !ok {
		return nil
	}
	f := p.Files[name]
	if f.Graphs[weight] == nil {
		g, err := tree.ParseGraph(content, weight)
		if err != nil {
			noGraph(p, name, err, call)
			return nil
		}
		g.Name = name
		if f.Graphs == nil {
			f.Graphs = map[string]*tree.GraphFile{}
		}
		f.Graphs[weight] = g
	}
	return f.Graphs[weight]
}

// wrongArguments returns the code of a call of graph that lacks the file, names something else than the
// weight, or has too much. It is empty where the arguments are right.
func wrongArguments(call *dsl.Call, weighed bool) diag.Code {
	switch named := func(a *dsl.Arg) bool { return a.Name != nil }; {
	case len(call.Args) == 0:
		return codes.MissingArgument
	case slices.ContainsFunc(call.Args[1:], named) && !weighed || named(call.Args[0]):
		return codes.UnknownArgument
	case len(call.Args) > 1 && !weighed:
		return codes.TooManyArguments
	}
	return ""
}

// noGraph reports what is wrong with a file of edges (codes.WrongWeight, codes.WrongGraph). A fault
// of the weights is placed at their name, any other at that of the file, with the form that it
// should have.
func noGraph(p *names.Pass, name string, err error, call *dsl.Call) {
	var wrong *tree.WeightError
	if errors.As(err, &wrong) {
		p.Report(&diag.Diagnostic{Code: codes.WrongWeight, Subject: call.Args[1].Value.Span(), Summary: name + ": " + wrong.What, Detail: wrong.Detail, Mend: wrong.Mend})
		return
	}
	detail := "A graph is CSV of two columns, one edge a line; the values are the rows' ids: those of the column id, or else the rows' numbers from 1."
	if len(call.Args) == 1 {
		detail += " A column of weights is named in graph(…, weight = COLUMN)."
	}
	p.Report(&diag.Diagnostic{Code: codes.WrongGraph, Subject: call.Args[0].Value.Span(), Summary: fmt.Sprintf("%s is not a graph: %v", name, err), Detail: detail})
}
