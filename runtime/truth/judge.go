package truth

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/gauge"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
)

// Labels are the truth about the rows that a regularizer was grounded on.
type Labels struct {
	// Scores are n×m: 1, −1, or 0 if nothing is known. They are n×1 if f is a function of x alone. Further rows of the
	// regularizer have no label.
	Scores *mat.Dense
	// Numbers says that the target is a number.
	Numbers bool
	// ID names a row.
	ID func(row int) string
}

// Tolerated is the share of broken rows up to which an invariance passes for true. For one that compares rows, the
// limit is half of the share that shuffled labels break, if that is more.
const Tolerated = 0.1

const (
	// mostOffences bounds the offences that a group names.
	mostOffences = 5
	// exact is the size up to which sums of ±1 times coefficients count as zero.
	exact = 1e-9
	// farFrom times chance is the value from which on a statement about very many rows is broken.
	farFrom     = 2
	shuffles    = 8
	streamTruth = 0x7472757468
)

// Judge judges every invariance of a regularizer; see the package for when a functional is broken. The seed draws the
// shuffles. It takes time in proportion to the functionals' terms, and fails only if ctx ends.
func Judge(ctx context.Context, reg *regularizer.Regularizer, y Labels, seed uint64) ([]report.Lint, error) {
	out := make([]report.Lint, len(reg.Invariances))
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

// A judge judges one invariance. It counts as it goes, and names rows and statements at the end.
//
// Functionals of one part, labels and transformations are one statement, wherever they are looked at.
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
	limits []float64 // from which on the values of those told break the invariance
	looked []bool
	broke  []bool
	groups map[int]*group
	// untold counts by verdict the functionals about which labels say nothing. Those that are void count nowhere, as a
	// condition that does not hold states nothing.
	untold [void + 1]int
	// coupled says that functionals compare rows.
	coupled bool
	out     report.Lint
}

// A group is one statement under construction: the functionals of the same part, labels and transformations.
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
		looked: make([]bool, n), broke: make([]bool, n), groups: map[int]*group{}, out: report.Lint{Name: inv.Name, Offenders: []report.Offender{}},
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
		if kind, rows := j.classify(i); kind == told {
			j.one(i, rows)
		} else {
			j.untold[kind]++
		}
	}
	return nil
}

// one judges functional i, which reads so many rows, and counts the rows of its terms.
func (j *judge) one(i, rows int) {
	limit := j.limit(i, rows)
	j.told, j.limits = append(j.told, int32(i)), append(j.limits, limit) //nolint:gosec // functionals are numbered by int32
	j.coupled = j.coupled || rows > 1
	value := j.value(i)
	broken := j.broken(i, value, limit)
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

// A verdict says whether labels break a functional, as far as they can tell.
type verdict int

const (
	told    verdict = iota
	moved           // it is evaluated at points that are not rows
	bare            // it is evaluated at rows without a label
	derived         // likewise at derivatives
	sized           // |c·f| alone: it makes f small, and says nothing that could be false
	void            // it has no terms: a condition does not hold
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
		case int(b.Point[t]) >= len(j.order):
			return bare, 0
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

// limit returns the value from which on functional i, which reads so many rows, breaks the invariance; 0 means any value above it.
func (j *judge) limit(i, rows int) float64 {
	switch {
	case rows > 2 && j.inv.Count == 1:
		return farFrom * j.chance(i)
	case rows > 2:
		return min(farFrom, max(1, j.spread(i)/2)) * j.chance(i)
	case j.pos[i], !j.y.Numbers, rows < 2:
		return 0
	}
	return j.chance(i)
}

// broken reports whether a value of functional i breaks the invariance, whose limit is that of the functional.
func (j *judge) broken(i int, value, limit float64) bool {
	if !j.pos[i] {
		value = math.Abs(value)
	}
	return value > exact && value >= limit
}

// shuffled sets the share of functionals that shuffled labels break, if they compare rows. One would see that share
// if the invariance had nothing to do with the labels.
func (j *judge) shuffled(ctx context.Context, seed uint64) error {
	if !j.coupled {
		return nil
	}
	rng := rand.New(rand.NewPCG(seed, streamTruth)) //nolint:gosec // no secret
	broken := 0
	for range shuffles {
		if err := ctx.Err(); err != nil {
			return err
		}
		rng.Shuffle(len(j.order), func(a, b int) { j.order[a], j.order[b] = j.order[b], j.order[a] })
		for k, i := range j.told {
			if j.broken(int(i), j.value(int(i)), j.limits[k]) {
				broken++
			}
		}
	}
	chance := report.Number(float64(broken) / float64(shuffles*len(j.told)))
	j.out.Chance = &chance
	return nil
}

// finish counts rows, sorts the groups and names their offences.
func (j *judge) finish() report.Lint {
	out := j.out
	out.Members, out.Untold = len(j.told), j.untold[moved]+j.untold[bare]+j.untold[derived]+j.untold[sized]
	for i, looked := range j.looked {
		if looked {
			out.Rows++
		}
		if j.broke[i] {
			out.RowsBroken++
		}
	}
	// Those that most of their functionals break come first, and of equal ones that of the first functional.
	groups := slices.Collect(maps.Values(j.groups))
	sort.Slice(groups, func(s, t int) bool {
		a, b := groups[s], groups[t]
		return a.broken > b.broken || a.broken == b.broken && a.first < b.first
	})
	for _, g := range groups {
		if out.Broken += g.broken; g.broken > 0 {
			out.Offenders = append(out.Offenders, j.named(g))
		}
	}
	j.weigh(&out)
	return out
}

// weigh sets the share of rows that break the invariance, and whether it is so large that a user should know. If
// functionals compare rows, it is the share of broken functionals instead: one outlier among the rows breaks many of
// them. Without members the share is NaN, and nothing is doubtful. Why gives the first reason of those that hold.
func (j *judge) weigh(l *report.Lint) {
	share, most := float64(l.RowsBroken)/float64(l.Rows), Tolerated
	if j.coupled {
		share, most = float64(l.Broken)/float64(l.Members), max(Tolerated, float64(*l.Chance)/2)
	}
	l.Share, l.Doubtful = report.Number(share), share > most
	switch {
	case j.untold[moved] > 0:
		l.Why = "it looks at f at points that are not rows"
	case j.untold[bare] > 0:
		l.Why = "it looks at f at rows without a label"
	case j.untold[derived] > 0:
		l.Why = "it looks at derivatives of f"
	case j.untold[sized] > 0:
		l.Why = "it makes f small, and states nothing that could be false"
	}
}

// named returns a group as the report shows it. Each offence names at most two of the rows that it reads. Of more rows it names
// those with more than a quarter of the coefficients each, as x beside the mean of others. The means of groups have none.
func (j *judge) named(g *group) report.Offender {
	out := report.Offender{Members: g.members, Broken: g.broken}
	if j.inv.Members != nil {
		out.Part = j.inv.Members.At(g.first).Part
	}
	for _, o := range g.worst {
		off, sizes, all := report.Offence{Value: report.Number(o.value), Rows: []string{}}, map[int32]float64{}, 0.0
		j.terms(o.functional, func(row, _ int32, c float64) { sizes[row], all = sizes[row]+math.Abs(c), all+math.Abs(c) })
		var rows []int32
		j.terms(o.functional, func(row, _ int32, _ float64) {
			if len(rows) < 2 && !slices.Contains(rows, row) && (len(sizes) < 3 || sizes[row] > all/4) {
				rows, off.Rows = append(rows, row), append(off.Rows, j.y.ID(int(row)))
			}
		})
		out.Worst = append(out.Worst, off)
	}
	return out
}
