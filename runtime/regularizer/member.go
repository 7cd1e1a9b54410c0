package regularizer

// A Member is one functional of an invariance as the spec speaks of it: a part of the expression, at elements of the index
// sets that are bound around it.
type Member struct {
	Part     string    `json:"part"`               // with labels and transformations in place of their variables: implies(cat, animal)
	Bindings []Binding `json:"bindings,omitempty"` // the outermost first
}

// Members says what the functionals of an invariance stand for.
type Members interface {
	// At is what a functional stands for.
	At(functional int) Member
	// Group is a number that functionals share which are the same part with the same labels and transformations, at other rows
	// or elsewhere on a path.
	Group(functional int) int
}

// A Binding says what a variable stands for.
type Binding struct {
	Variable string  `json:"variable"`
	Rows     []int32 `json:"-"`     // of the data that were grounded on, from 0: one, or the two ends of a path; nil where no row is meant
	Value    string  `json:"value"` // as a reader sees it: a label, rotate(10deg), 0.35; the rows' names
}

// Rows are the rows that the member is about, in order, each once.
func (m *Member) Rows() []int32 {
	var out []int32
	for _, b := range m.Bindings {
		for _, r := range b.Rows {
			seen := false
			for _, o := range out {
				seen = seen || o == r
			}
			if !seen {
				out = append(out, r)
			}
		}
	}
	return out
}
