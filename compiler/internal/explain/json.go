package explain

import (
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// An ExplanationJSON is an explanation as tools read it. Names of its fields stay as they are:
// scripts depend on them.
type ExplanationJSON struct {
	Kind           string           `json:"kind"` // sublinear, seminorm or smooth seminorm
	Theory         string           `json:"theory"`
	Seminorm       bool             `json:"seminorm"` // absolutely homogeneous: the paper's Assumption 1
	Theorems       bool             `json:"theorems"` // Riesz, the kernel G and the representer theorem hold: a smooth seminorm
	Quadratic      bool             `json:"quadratic"`
	Differentiable bool             `json:"differentiable"`
	Functionals    *int             `json:"functionals,omitempty"` // absent where R is not grounded
	Polar          string           `json:"polar,omitempty"`
	Method         string           `json:"method"`
	MethodReason   string           `json:"method_reason"`
	Learner        string           `json:"learner,omitempty"`
	Under          []string         `json:"evaluate_under,omitempty"`
	Invariances    []InvarianceJSON `json:"invariances"`
	Families       []SightJSON      `json:"families,omitempty"` // from elsewhere, and what they see of the data
}

// An InvarianceJSON is one invariance as tools read it.
type InvarianceJSON struct {
	Name           string     `json:"name"`
	Text           string     `json:"text"`
	At             *PlaceJSON `json:"at,omitempty"`
	Weight         float64    `json:"weight"`         // or its factor beside auto
	Auto           bool       `json:"auto,omitempty"` // the weight is yet to be chosen
	Kind           string     `json:"kind"`
	Sign           string     `json:"sign"`
	Theory         string     `json:"theory"`
	If             []string   `json:"if,omitempty"` // what the data must keep for the proof to hold; run and explain with data look at it
	Quadratic      bool       `json:"quadratic"`
	Differentiable bool       `json:"differentiable"`
	Kinks          []KinkJSON `json:"kinks,omitempty"`
	Functionals    *int       `json:"functionals,omitempty"`
	Proof          StepJSON   `json:"proof"`
	Ball           Ball       `json:"ball"`
}

// A PlaceJSON is a place in the spec: lines and columns from 1, columns in code points, the end
// exclusive.
type PlaceJSON struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"end_line"`
	EndColumn int    `json:"end_column"`
}

// A KinkJSON is a Kink as tools read it.
type KinkJSON struct {
	Text  string     `json:"text"`
	Where string     `json:"where"`
	At    *PlaceJSON `json:"at,omitempty"`
}

// A StepJSON is a Step as tools read it.
type StepJSON struct {
	Text  string     `json:"text"`
	Call  string     `json:"call,omitempty"`
	Kind  string     `json:"kind"`
	Sign  string     `json:"sign"`
	Rule  string     `json:"rule"`
	At    *PlaceJSON `json:"at,omitempty"`
	Parts []StepJSON `json:"parts,omitempty"`
}

// JSON returns the explanation as tools read it.
func (ex *Explanation) JSON() *ExplanationJSON {
	out := &ExplanationJSON{
		Kind: regularizer.KindText(ex.Kind, ex.Smooth), Theory: ex.Theory,
		Seminorm: ex.Kind != tree.Sublinear, Theorems: ex.Kind != tree.Sublinear && ex.Smooth, Quadratic: ex.Quadratic, Differentiable: ex.Smooth,
		Functionals: count(ex.Functionals), Polar: ex.Polar, Method: ex.Method, MethodReason: ex.Reason, Learner: ex.Learner, Under: ex.Under,
		Invariances: []InvarianceJSON{}, Families: sightsJSON(ex.Sights),
	}
	for i := range ex.Invariances {
		out.Invariances = append(out.Invariances, ex.Invariances[i].json())
	}
	return out
}

// count returns a number of functionals, nil where it is not known. A tool can then tell 0
// functionals from a regularizer without data.
func count(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}

// json returns an invariance as tools read it.
func (inv *InvarianceExplanation) json() InvarianceJSON {
	out := InvarianceJSON{
		Name: inv.Name, Text: inv.Text, At: placeJSON(inv.Place), Weight: inv.Weight, Auto: inv.Auto, Kind: regularizer.KindText(inv.Kind, inv.Smooth), Sign: inv.Sign.String(),
		Theory: inv.Theory, If: inv.If, Quadratic: inv.Quadratic, Differentiable: inv.Smooth, Functionals: count(inv.Functionals),
		Proof: inv.Proof.json(), Ball: inv.Ball,
	}
	for _, k := range inv.Kinks {
		out.Kinks = append(out.Kinks, KinkJSON{Text: k.Text, Where: k.Where, At: placeJSON(k.Place)})
	}
	return out
}

// json returns a step with those below it.
func (s *Step) json() StepJSON {
	out := StepJSON{Text: s.Text, Call: s.Call, Kind: s.KindText(), Sign: s.Sign.String(), Rule: s.Rule, At: placeJSON(s.Place)}
	for i := range s.Parts {
		out.Parts = append(out.Parts, s.Parts[i].json())
	}
	return out
}

// placeJSON returns a place; nil, and so no entry, where there is none.
func placeJSON(s diag.Span) *PlaceJSON {
	if s.IsZero() {
		return nil
	}
	return &PlaceJSON{File: s.File, Line: s.Start.Line, Column: s.Start.Column, EndLine: s.End.Line, EndColumn: s.End.Column}
}

// JSON returns the proof in the form that explain --json has.
func (s *Step) JSON() StepJSON { return s.json() }

// A SightJSON is a Sight as tools read it.
type SightJSON struct {
	Family  string     `json:"family"`
	Version string     `json:"version"`
	At      *PlaceJSON `json:"at,omitempty"`
	For     []string   `json:"for"`
	Sees    string     `json:"sees"`
	Columns any        `json:"columns"` // "all", or the names of those that it sees
	Labels  string     `json:"labels"`  // none, names, rows
}

// sightsJSON returns what families see. Their columns are a list, or the word "all" where the
// schema asks for every column.
func sightsJSON(sights []Sight) []SightJSON {
	var out []SightJSON
	for i := range sights {
		s := &sights[i]
		var columns any = append([]string{}, s.Needs.Names...)
		if s.Needs.Columns == plugins.AllColumns {
			columns = "all"
		}
		out = append(out, SightJSON{
			Family: s.Family, Version: s.Version, At: placeJSON(s.Place), For: append([]string{}, s.For...), Sees: s.String(),
			Columns: columns, Labels: [...]string{plugins.NoLabels: "none", plugins.LabelNames: "names", plugins.RowLabels: "rows"}[s.Needs.Labels],
		})
	}
	return out
}
