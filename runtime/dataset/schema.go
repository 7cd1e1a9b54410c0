package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Role says what a column of the training file is to a model.
type Role string

// The roles.
const (
	RoleFeature Role = "feature"
	RoleTarget  Role = "target"
	RoleID      Role = "id"     // it names the rows
	RoleWeight  Role = "weight" // of the rows
	RoleSplit   Role = "split"  // it says of each row where it belongs
	RoleAside   Role = "aside"  // no part of the model looks at it
)

// roles are all of them.
var roles = []Role{RoleFeature, RoleTarget, RoleID, RoleWeight, RoleSplit, RoleAside}

// A SchemaColumn says what a column of the training file held in the training rows.
type SchemaColumn struct {
	Name string `json:"name"`
	Role Role   `json:"role"`
	Kind Kind   `json:"kind"`
	// Range is the least and the greatest number; nil of texts, and where there is no number.
	Range []float64 `json:"range,omitempty"`
	// Values are the categories of a text, in order, the words of one that is read as words, or the classes of a target.
	Values []string `json:"values,omitempty"`
	// Declared is the type that the spec declares of the column, as it writes it; empty if it declares none.
	Declared string `json:"declared,omitempty"`
}

// Schema returns the columns of the training file: the features in their order, then the others.
func Schema(p *Preparation) []SchemaColumn {
	out := make([]SchemaColumn, 0, len(p.Features)+len(p.Others))
	for i := range p.Features {
		f := &p.Features[i]
		c := SchemaColumn{Name: f.Name, Role: RoleFeature, Kind: KindReal, Range: []float64{f.Low, f.High}}
		switch {
		case f.Text:
			c.Kind, c.Range, c.Values = KindText, nil, f.Categories
		case f.Whole:
			c.Kind = KindInteger
		}
		out = append(out, c)
	}
	out = append(out, slices.Clone(p.Others)...)
	for i := range out {
		c := &out[i]
		if c.Role == RoleTarget && !p.Target.Task.Numbers() && p.Target.Task != setting.Multilabel {
			c.Values = p.Target.LabelIDs
		}
		if at := slices.IndexFunc(p.Types, func(t setting.ColumnType) bool { return t.Column == c.Name }); at >= 0 {
			c.Declared = p.Types[at].String()
		}
	}
	return out
}

// others returns the columns of a table that are no features, as they are in some of its rows.
func others(p *Preparation, spec *setting.Data, t *Table, rows []int) (out []SchemaColumn) {
	features, targets := featureNames(p), indexNames(p.Target.Columns)
	for j, name := range t.names {
		if features[name] {
			continue
		}
		c := SchemaColumn{Name: name, Role: RoleAside}
		switch {
		case has(targets, name):
			c.Role = RoleTarget
		case name == p.Weight:
			c.Role = RoleWeight
		case name == spec.Split.By:
			c.Role = RoleSplit
		case name == p.ID || p.ID == "" && IsIdentifier(name):
			c.Role = RoleID
		}
		c.look(t.wholeColumn(j), rows)
		out = append(out, c)
	}
	return out
}

// featureNames returns the names of the features.
func featureNames(p *Preparation) map[string]bool {
	names := make(map[string]bool, len(p.Features))
	for i := range p.Features {
		names[p.Features[i].Name] = true
	}
	return names
}

// look sets what a column holds in some rows.
func (s *SchemaColumn) look(c *column, rows []int) {
	if c.isText() {
		s.Kind = KindText
		return
	}
	low, high, whole := math.Inf(1), math.Inf(-1), true
	for _, i := range rows {
		if v := c.numbers[i]; !math.IsNaN(v) {
			low, high, whole = min(low, v), max(high, v), whole && v == math.Trunc(v)
		}
	}
	switch s.Kind = KindReal; {
	case low > high:
		s.Kind = KindEmpty
		return
	case whole:
		s.Kind = KindInteger
	}
	if !math.IsInf(low, 0) && !math.IsInf(high, 0) {
		s.Range = []float64{low, high}
	}
}

// checkOthers returns what is wrong with columns that were read from elsewhere.
func checkOthers(p *Preparation) error {
	kinds := []Kind{KindReal, KindInteger, KindText, KindEmpty}
	for i := range p.Others {
		c := &p.Others[i]
		switch {
		case c.Role == RoleFeature || !slices.Contains(roles, c.Role) || !slices.Contains(kinds, c.Kind):
			return fmt.Errorf("column %q: the role %q and the kind %q are not those of a column beside the features", c.Name, c.Role, c.Kind)
		case len(c.Range) != 0 && (len(c.Range) != 2 || !(c.Range[0] <= c.Range[1])):
			return fmt.Errorf("column %q: a range of %v", c.Name, c.Range)
		}
	}
	return nil
}
