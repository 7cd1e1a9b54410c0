package explain

import (
	"fmt"
	"strings"

	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// A Required is a requirement explained: what is to hold, at which points, and why the functions
// that keep it form a convex set. A statement e(f) ≤ 0 over a region B is one half-space of
// functions for each point of B and each affine part of e,
//
//	{f : e(f)(x) ≤ 0 for all x ∈ B} = ⋂_{x ∈ B} ⋂_i {f : gᵢ(f)(x) ≤ 0}.
type Required struct {
	Name        string       `json:"name"`
	Text        string       `json:"text"`
	Place       diag.Span    `json:"at,omitzero"`
	Region      string       `json:"region,omitempty"` // as the spec has it; empty where it is about no point
	Points      string       `json:"points,omitempty"` // in words
	Comparisons []Comparison `json:"comparisons"`
	// Statements is how many there are in prepared coordinates. A sweep comes to one for each row that
	// differs, an index set to one for each element. Nil means that there are no data.
	Statements *int `json:"statements,omitempty"`
}

// A Comparison is smaller ≤ larger, or smaller = larger. Of |f| <= 1 the members are f − 1 <= 0 and
// −f − 1 <= 0. It is affine in f, or convex and as good
// as its affine members together.
type Comparison struct {
	Text    string   `json:"text"`
	Kind    string   `json:"kind"`              // affine, or convex
	Members []string `json:"members,omitempty"` // of a convex one: each is affine in f and at most 0
	Proof   Step     `json:"proof"`
}

// Require adds the explanations of requirements, in their order. Of each comparison the proof is
// that of smaller − larger, whose step is named by its formula: the difference stands nowhere in
// the spec.
func (ex *Explanation) Require(required []*tree.Requirement) {
	for _, r := range required {
		rel := r.Decl.Holds
		out := Required{Name: r.Name, Text: r.Text(), Place: r.Decl.Span(), Points: points(r.Region)}
		if len(rel.Over) > 0 {
			bare := *rel
			bare.Over, bare.Where = nil, nil
			out.Region = strings.TrimPrefix(strings.TrimPrefix(out.Text, dsl.RelationString(&bare)), " over ")
		}
		for _, c := range r.Parts {
			k := Comparison{Text: c.Text, Kind: "affine", Proof: Proof(c.Excess, nil)}
			if k.Proof.Text = c.Excess.Formula(); c.Excess.Kind != tree.Linear {
				k.Kind = "convex"
			}
			k.Proof.Head = k.Proof.Text
			if c.Pieces.Op == tree.OpMax {
				k.Members = memberTexts(c.Pieces, "")
			}
			out.Comparisons = append(out.Comparisons, k)
		}
		ex.Required = append(ex.Required, out)
	}
}

// memberTexts writes the affine members of a maximum, those of an index set with what they range
// over.
func memberTexts(n *tree.Node, over string) []string {
	if n.Op != tree.OpMax {
		return []string{n.Formula() + " <= 0" + over}
	}
	if q, ok := n.From.Syntax.(*dsl.Quant); ok && n.Quant != nil && n.Quant.Unless == nil {
		over += " over " + tree.Binders(q)
	}
	var all []string
	for _, k := range n.Kids {
		all = append(all, memberTexts(k, over)...)
	}
	return all
}

// points says in words which points a region has. It is empty where no box is: the binders then
// name rows, which the region shows.
func points(q *tree.Quantifier) string {
	a := q.Box()
	if a == nil {
		return ""
	}
	var sides []string
	for _, s := range a.Box.Sides {
		side := fmt.Sprintf("%s in [%g, %g]", s.Column.Text, s.Low, s.High)
		if s.Low > s.High {
			side = s.Column.Text + " in {" + strings.Join(tree.Each(s.Cells, (*tree.Value).Cell), ", ") + "}"
		}
		sides = append(sides, side)
	}
	others := "all other columns"
	if len(sides) == 0 {
		others = "all columns"
	}
	switch a.Box.Others {
	case tree.OthersOfRows:
		others += " as in a training row"
	case tree.OthersOfFile:
		others += " as in a row of " + a.Box.File
	case tree.OthersBox:
		others += " within their types, or else the ranges of the training rows"
	}
	return strings.Join(append(sides, others), "; ")
}

// Count adds how many statements the requirements come to, by name. A requirement none of whose
// elements the data have comes to 0, which is shown: it asks for nothing then.
func (ex *Explanation) Count(statements []statement.Statement) {
	for i := range ex.Required {
		count := 0
		for k := range statements {
			if statements[k].Name == ex.Required[i].Name {
				count++
			}
		}
		ex.Required[i].Statements = &count
	}
}

// shown returns what is required and where, what was proved of each comparison, and its proof.
func (r *Required) shown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s  required", r.Name)
	if r.Statements != nil {
		b.WriteString(", " + tree.Plural(*r.Statements, "statement"))
	}
	b.WriteString("\n  " + r.Text + "\n")
	if r.Points != "" {
		b.WriteString("  at points with " + r.Points + "\n")
	}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		fmt.Fprintf(&b, "  %s is %s in f\n", c.Text, c.Kind)
		for _, m := range c.Members {
			b.WriteString("    " + m + "\n")
		}
		b.WriteString("\n" + c.Proof.Shown())
	}
	return b.String()
}
