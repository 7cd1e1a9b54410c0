package proof_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/worst"
)

var (
	first    = flag.Int("first", 0, "seed of the first random problem")
	problems = flag.Int("problems", 400, "random models and statements to decide")
	grid     = flag.Int("grid", 200, "points of the grid that each verdict is held against")
	lines    = flag.String("lines", "", "file that gets the counts of each class, a line of JSON each")
)

// A trial is a random problem with its verdict, and the least value of g that anybody found.
type trial struct {
	*problem
	seed    int
	unit    float64 // 10⁻³ ‖f‖/s
	verdict *proof.Verdict
	spent   time.Duration
	at      []float64
	least   float64
}

// A class counts the trials whose minima and shapes are alike.
type class struct {
	Minimum               string // above, near or below: at least 10⁻³ ‖f‖/s, at most the negative of that, or between
	Plain                 bool   // at most two sides, or a star
	Smooth                bool   // no Matérn factors
	Vague                 bool   `json:",omitempty"` // it asks for a second derivative that the kernel does not have
	Problems              int
	Proved, Refuted, Open int
	Wrong                 int     // verdicts that do not hold
	Within                int     // of those answered as the minimum says, how many took at most a second of all processors together
	Slowest               float64 // of all, in seconds
	SlowestSeed           int
	Missed                []int `json:",omitempty"` // seeds of those above that are not proved, and of those below that are not refuted
}

// No statement is proved that a grid with descents refutes, none refuted at a point where 200 bits do not give a negative number, and none
// stays open whose minimum is clear of 0. By flags, -args -problems 10000 -grid 2000 -lines FILE, it writes what docs/proved.md shows.
func TestVerdictsOfRandomStatements(t *testing.T) {
	classes := map[int]*class{}
	for seed := *first; seed < *first+*problems; seed++ {
		r := try(t, seed)
		c := &class{Minimum: r.region(), Plain: r.plain(), Smooth: r.smooth, Vague: r.vague()}
		if known := classes[c.order()]; known != nil {
			c = known
		}
		classes[c.order()] = c
		if fault := r.fault(); fault != "" {
			t.Errorf("seed %d: %s", seed, fault)
			c.Wrong++
		}
		if !c.add(r) && c.Plain && c.Smooth {
			t.Errorf("seed %d: g is %v at least, in units of 10⁻³ ‖f‖/s: %v (%s) with %d sides and %+v", seed, r.least/r.unit, r.verdict.Answer, r.verdict.Reason, len(r.statement.Region), r.statement.Terms)
		}
	}
	all := slices.SortedFunc(maps.Values(classes), func(a, b *class) int { return cmp.Compare(a.order(), b.order()) })
	var out []byte
	for _, c := range all {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(string(line))
		out = append(append(out, line...), '\n')
	}
	if *lines != "" {
		if err := os.WriteFile(*lines, out, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// try draws a problem whose minimum is near 0, decides it, and looks for its minimum again.
func try(t *testing.T, seed int) *trial {
	t.Helper()
	src := rand.New(rand.NewPCG(uint64(seed), 17))
	r := &trial{problem: draw(src), seed: seed}
	p := r.problem
	f, err := proof.New(&p.model)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	points, err := worst.Search(context.Background(), f, &p.statement, math.Inf(1), 1)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	r.at, r.least = p.minimum(src, 40, 1)
	size := p.norm()
	if len(points) > 0 {
		v := points[0].Value
		r.see(points[0].X)
		if w := p.value(points[0].X); p.smooth && math.Abs(w-v) > 1e-6*(size+math.Abs(v)) {
			t.Errorf("seed %d: the search says %v at %v, but g is %v there", seed, v, points[0].X, w)
		}
	}
	r.unit = 1e-3 * size / p.lengthscale()
	shift := []float64{1.01, -1.01, 1e-3, -1e-3, 0.1, -30}[src.IntN(6)]*r.unit - r.least
	p.statement.Constant, r.least = shift, r.least+shift
	r.decide(t)
	x, _ := p.minimum(src, *grid, 1+*grid/200)
	r.see(x)
	if r.verdict.At != nil {
		r.see(r.verdict.At)
	}
	return r
}

// see takes in a point.
func (r *trial) see(x []float64) {
	if v := r.value(x); v < r.least {
		r.at, r.least = x, v
	}
}

// decide lets a new function decide the statement, and takes the time of both.
func (r *trial) decide(t *testing.T) {
	t.Helper()
	before := spent()
	f, err := proof.New(&r.model)
	if err == nil {
		r.verdict, err = f.Prove(context.Background(), &r.statement, proof.Options{Suspects: worst.Suspects})
	}
	if err != nil {
		t.Fatalf("seed %d: %v", r.seed, err)
	}
	r.spent = spent() - before
}

// fault says what is wrong with a verdict in the light of the points met and of 200 bits, if anything is.
func (r *trial) fault() string {
	v := r.verdict
	switch v.Answer {
	case proof.Proved:
		if exact := evaluate(long, &r.model, &r.statement, r.at); exact.Cmp(wide().SetFloat64(v.Margin)) < 0 {
			return fmt.Sprintf("proved with margin %v, but g is %v at %v", v.Margin, exact, r.at)
		}
	case proof.Refuted:
		exact := evaluate(long, &r.model, &r.statement, v.At)
		if exact.Sign() >= 0 || exact.Cmp(wide().SetFloat64(v.Low)) < 0 || exact.Cmp(wide().SetFloat64(v.High)) > 0 {
			return fmt.Sprintf("refuted at %v with g from %v to %v, but g is %v", v.At, v.Low, v.High, exact)
		}
	}
	return ""
}

// region says where the minimum is.
func (r *trial) region() string {
	switch {
	case r.least >= r.unit:
		return "above"
	case r.least <= -r.unit:
		return "below"
	}
	return "near"
}

// add counts a trial, and reports whether it is answered as its minimum says.
func (c *class) add(r *trial) (right bool) {
	c.Problems++
	switch r.verdict.Answer {
	case proof.Proved:
		c.Proved++
		right = c.Minimum != "below"
	case proof.Refuted:
		c.Refuted++
		right = c.Minimum != "above"
	default:
		c.Open++
		right = c.Minimum == "near"
	}
	s := r.spent.Seconds()
	if right && s <= 1 {
		c.Within++
	}
	if s > c.Slowest {
		c.Slowest, c.SlowestSeed = s, r.seed
	}
	if !right {
		c.Missed = append(c.Missed, r.seed)
	}
	return right || c.Vague
}

// order returns a key to sort classes by.
func (c *class) order() (key int) {
	key = slices.Index([]string{"above", "near", "below"}, c.Minimum)
	for _, last := range []bool{!c.Plain, !c.Smooth, c.Vague} {
		if key *= 2; last {
			key++
		}
	}
	return key
}
