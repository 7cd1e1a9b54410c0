package truth

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
)

// Labels are the truth about the rows that a regularizer was grounded on.
type Labels struct {
	// Scores are n×m: 1, −1, or 0 if nothing is known. They are n×1 if f is a function of x alone.
	Scores *mat.Dense
	// Numbers says that the target is a number.
	Numbers bool
}

// A Judgement says how far one invariance is from being true.
type Judgement struct {
	Name string
	// Members is the number of functionals that labels can judge, of which Broken are broken.
	Members int
	Broken  int
	// Rows is how many rows these functionals read. RowsBroken of them belong to at least one broken functional.
	Rows int
	// RowsBroken are those of which at least one functional is broken.
	RowsBroken int
	// Coupled says that functionals compare rows. Chance is the share of them that shuffled labels break, NaN without
	// coupling.
	Coupled bool
	Chance  float64
	Untold  Untold
	// Groups are those with broken functionals, the worst first.
	Groups []Group
}

// Untold counts the functionals about which labels say nothing.
type Untold struct {
	// Moved are evaluated at points that are no rows.
	Moved      int
	Derivative int
	// Size are |c·f| alone: they make f small, and say nothing that could be false.
	Size int
}

// Total returns how many functionals labels cannot judge.
func (u Untold) Total() int { return u.Moved + u.Derivative + u.Size }

// A Group is one statement: the functionals of the same part, labels and transformations.
type Group struct {
	Part    string
	Members int
	Broken  int
	// Worst are a few functionals that are broken most. If all are broken alike, they are those of the first rows.
	Worst []Offence
}

// An Offence is a functional that the truth breaks.
type Offence struct {
	Member regularizer.Member
	// Rows are at most two of those that it reads.
	Rows []int32
	// Value is that of the functional at the truth.
	Value float64
}

// BrokenShare returns the share of rows that break the invariance. If functionals compare rows, it returns the share
// of broken functionals instead: one outlier among the rows breaks many of them. It is NaN without members.
func (j *Judgement) BrokenShare() float64 {
	switch {
	case j.Members == 0:
		return math.NaN()
	case j.Coupled:
		return float64(j.Broken) / float64(j.Members)
	}
	return float64(j.RowsBroken) / float64(j.Rows)
}

// Tolerated is the share of broken rows up to which an invariance passes for true. For one that compares rows, the
// limit is half of the share that shuffled labels break, if that is more.
const Tolerated = 0.1

// Doubtful reports whether the truth breaks the invariance so often that a user should know.
func (j *Judgement) Doubtful() bool {
	switch {
	case j.Members == 0:
		return false
	case j.Coupled:
		return j.BrokenShare() > max(Tolerated, j.Chance/2)
	}
	return j.BrokenShare() > Tolerated
}

const (
	// mostOffences bounds the offences that a group names.
	mostOffences = 5
	// exact is the size up to which sums of ±1 times coefficients count as zero.
	exact = 1e-9
	// farFrom times chance is the value beyond which a statement about many rows is broken.
	farFrom     = 2
	shuffles    = 8
	streamTruth = 0x7472757468
)

// Judge judges every invariance of a regularizer; see the package for when a functional is broken. The seed draws the
// shuffles. It takes time in proportion to the functionals' terms, and fails only if ctx ends.
func Judge(ctx context.Context, reg *regularizer.Regularizer, y Labels, seed uint64) ([]Judgement, error) {
	out := make([]Judgement, len(reg.Invariances))
	for k := range reg.Invariances {
		j := newJudge(reg, k, y)
		if err := j.all(ctx); err != nil {
			return nil, err
		}
		if err := j.shuffled(ctx, seed); err != nil {
			return nil, err
		}
		out[k] = j.finish()
	}
	return out, nil
}

// A judge judges one invariance.
type judge struct {
	inv   *regularizer.Invariance
	block *plugins.Block
	y     Labels
	// order says whose labels stand for a row's: its own, or those of the row that a shuffle has put there.
	order []int32
	stats *moments
	// pos says for each functional whether it is [ℓ]₊.
	pos    []bool
	told   []int32
	looked []bool
	broke  []bool
	groups map[int]*group
	out    Judgement
}

// A group is a Group under construction.
type group struct {
	// first is one of its functionals.
	first           int
	members, broken int
	worst           []offence
}

// An offence is a broken functional and its value.
type offence struct {
	functional int
	value      float64
}

// newJudge prepares to judge the k-th invariance.
func newJudge(reg *regularizer.Regularizer, k int, y Labels) *judge {
	n, _ := y.Scores.Dims()
	inv := &reg.Invariances[k]
	j := &judge{
		inv: inv, block: reg.Functionals, y: y, order: make([]int32, n), stats: newMoments(y.Scores),
		looked: make([]bool, n), broke: make([]bool, n), groups: map[int]*group{}, out: Judgement{Name: inv.Name, Chance: math.NaN()},
	}
	for i := range j.order {
		j.order[i] = int32(i) //nolint:gosec // a block's rows are int32
	}
	inv.Gauge.Leaves(func(op gauge.Op) { j.pos = append(j.pos, op == gauge.Pos) })
	return j
}

// all judges every functional by the labels as they are.
func (j *judge) all(ctx context.Context) error {
	for i := range j.inv.Count {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		kind, rows := j.classify(i)
		switch kind {
		case moved:
			j.out.Untold.Moved++
		case derived:
			j.out.Untold.Derivative++
		case sized:
			j.out.Untold.Size++
		case void:
		case told:
			j.one(i, rows)
		}
	}
	return nil
}

// one judges functional i, which reads so many rows, and counts the rows of its terms.
func (j *judge) one(i, rows int) {
	j.told = append(j.told, int32(i)) //nolint:gosec // functionals are numbered by int32
	j.out.Coupled = j.out.Coupled || rows > 1
	value := j.value(i)
	broken := j.broken(i, rows, value)
	g := j.group(i)
	g.members++
	if broken {
		g.broken++
		g.take(offence{i, value})
	}
	b := j.block
	for t := b.Start[j.inv.First+i]; t < b.Start[j.inv.First+i+1]; t++ {
		j.looked[b.Point[t]] = true
		j.broke[b.Point[t]] = j.broke[b.Point[t]] || broken
	}
}

// group returns the group of functional i.
func (j *judge) group(i int) *group {
	key := 0
	if j.inv.Members != nil {
		key = j.inv.Members.Group(i)
	}
	g := j.groups[key]
	if g == nil {
		g = &group{first: i}
		j.groups[key] = g
	}
	return g
}

// take keeps an offence if it is among the worst. Among equals the first stay.
func (g *group) take(o offence) {
	at := len(g.worst)
	for at > 0 && math.Abs(g.worst[at-1].value) < math.Abs(o.value)-exact {
		at--
	}
	if at == mostOffences {
		return
	}
	g.worst = slices.Insert(g.worst, at, o)
	g.worst = g.worst[:min(len(g.worst), mostOffences)]
}

// A verdict is what labels can say of a functional.
type verdict int

const (
	told verdict = iota
	moved
	derived
	sized
	void // it has no terms: a condition does not hold
)

// classify returns what labels can say of a functional, and how many rows it reads: 1, 2, or 3 for more.
func (j *judge) classify(i int) (v verdict, rows int) {
	b := j.block
	lo, hi := b.Start[j.inv.First+i], b.Start[j.inv.First+i+1]
	if lo == hi {
		return void, 0
	}
	evaluations := 0
	var seen [2]int32
	for t := lo; t < hi; t++ {
		switch {
		case b.Tangent[t] != plugins.Evaluation:
			return derived, 0
		case b.Point[t] < 0:
			return moved, 0
		}
		if b.Label[t] == plugins.NoLabel {
			evaluations++
		} else {
			evaluations += len(b.Labels[b.Label[t]].Index)
		}
		known := false
		for _, r := range seen[:min(rows, 2)] {
			known = known || r == b.Point[t]
		}
		if !known && rows < 2 {
			seen[rows] = b.Point[t]
		}
		if !known {
			rows = min(rows+1, 3)
		}
	}
	// |c·f(x)| asks for a small f, which ±1 always contradicts.
	if evaluations < 2 && !j.pos[i] {
		return sized, 0
	}
	return told, rows
}

// value returns a functional at the truth.
func (j *judge) value(i int) float64 {
	v := 0.0
	j.terms(i, func(row, label int32, c float64) { v += c * j.y.Scores.At(int(j.order[row]), int(label)) })
	return v
}

// terms visits the evaluations of a functional.
func (j *judge) terms(i int, visit func(row, label int32, c float64)) {
	b := j.block
	for t := b.Start[j.inv.First+i]; t < b.Start[j.inv.First+i+1]; t++ {
		if b.Label[t] == plugins.NoLabel {
			visit(b.Point[t], 0, b.Coef[t])
			continue
		}
		y := b.Labels[b.Label[t]]
		for k, l := range y.Index {
			visit(b.Point[t], l, b.Coef[t]*y.Value[k])
		}
	}
}

// broken reports whether a value breaks the invariance, for a functional that reads so many rows.
func (j *judge) broken(i, rows int, value float64) bool {
	if !j.pos[i] {
		value = math.Abs(value)
	}
	switch {
	case rows > 2:
		return value > farFrom*j.chance(i)
	case j.pos[i], !j.y.Numbers, rows < 2:
		return value > exact
	}
	return value > exact && value >= j.chance(i)
}

// shuffled sets the share of functionals that shuffled labels break, if they compare rows. It is what one would see
// if the invariance had nothing to do with the labels.
func (j *judge) shuffled(ctx context.Context, seed uint64) error {
	if !j.out.Coupled {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, streamTruth)) //nolint:gosec // no secret
	broken := 0
	for range shuffles {
		if err := ctx.Err(); err != nil {
			return err
		}
		rng.Shuffle(len(j.order), func(a, b int) { j.order[a], j.order[b] = j.order[b], j.order[a] })
		for _, i := range j.told {
			_, rows := j.classify(int(i))
			if j.broken(int(i), rows, j.value(int(i))) {
				broken++
			}
		}
	}
	j.out.Chance = float64(broken) / float64(shuffles*len(j.told))
	return nil
}

// finish sorts the groups and names their offences.
func (j *judge) finish() Judgement {
	out := j.out
	out.Members = len(j.told)
	for i, looked := range j.looked {
		if looked {
			out.Rows++
		}
		if j.broke[i] {
			out.RowsBroken++
		}
	}
	groups := make([]*group, 0, len(j.groups))
	for _, g := range j.groups {
		groups = append(groups, g)
		out.Broken += g.broken
	}
	slices.SortFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.broken, a.broken), cmp.Compare(a.first, b.first))
	})
	for _, g := range groups {
		if g.broken > 0 {
			out.Groups = append(out.Groups, j.named(g))
		}
	}
	return out
}

// named returns a group as the report shows it.
func (j *judge) named(g *group) Group {
	out := Group{Members: g.members, Broken: g.broken}
	if j.inv.Members != nil {
		out.Part = j.inv.Members.At(g.first).Part
	}
	for _, o := range g.worst {
		off := Offence{Value: o.value}
		if j.inv.Members != nil {
			off.Member = j.inv.Members.At(o.functional)
		}
		j.terms(o.functional, func(row, _ int32, _ float64) {
			if len(off.Rows) < 2 && !slices.Contains(off.Rows, row) {
				off.Rows = append(off.Rows, row)
			}
		})
		out.Worst = append(out.Worst, off)
	}
	return out
}
