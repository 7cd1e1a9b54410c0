package regularizer

// A Member is one functional of an invariance in the words of the spec. It is a part of the expression, at elements
// of the index sets that are bound around it.
type Member struct {
	// Part has labels and transformations in place of their variables: implies(cat, animal).
	Part     string    `json:"part"`
	Bindings []Binding `json:"bindings,omitempty"` // the outermost first
}

// Members says what the functionals of an invariance stand for.
type Members interface {
	// At returns what a functional stands for.
	At(functional int) Member
	// Rows returns a function that tells which rows a functional is about: those of each variable that stands for rows, as At has them. It is
	// called for millions, and overwrites what it returned before.
	Rows() func(functional int) [][]int32
	// Group returns a number that functionals share if they are the same part with the same labels and
	// transformations. They may be at other rows or elsewhere on a path.
	Group(functional int) int
}

// An Orbit is a set of moves over which an invariance takes a maximum, with the members that stand for it.
type Orbit struct {
	Key       string // identifies it
	Dimension int    // how many amounts a move has
	Moves     int    // that the spec asks for
	// Members are by element: the amounts of one move after another, as shares of their intervals.
	Members [][]float64
}

// A Maximum says what the members of an element come to at one place of an expression, as that of a row and a label.
type Maximum struct {
	Orbit   string // its key
	Element int
	Values  []float64 // by member
}

// Note takes down what a member comes to. Of several values the largest counts.
func (m *Maximum) Note(member int, value float64) {
	for len(m.Values) <= member {
		m.Values = append(m.Values, 0)
	}
	m.Values[member] = max(m.Values[member], value)
}

// Maxima are the maxima over orbits in an invariance.
type Maxima interface {
	Orbits() []Orbit
	// Maxima returns what members come to, given the values of the functionals of the invariance. They are in the same order, whatever the members.
	Maxima(values []float64) []Maximum
}

// A Binding says what a variable stands for.
type Binding struct {
	Variable string `json:"variable"`
	// Rows are rows of the data that were grounded on, from 0: one, or the two ends of a path. nil means no row.
	Rows []int32 `json:"-"`
	// Value is shown to readers: a label, rotate(10deg), 0.35, or the rows' names.
	Value string `json:"value"`
}

// Rows returns the rows that the member is about, in order, each once.
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
