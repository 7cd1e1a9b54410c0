package operator

import (
	"crypto/sha256"
	"hash"
	"io"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/sipc-ml/sipc/internal/hashes"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/polar"
)

// Passes over many rows take minutes, and a process may not live so long. Sums after k rows, in the order of rows, are all that a pass has made by then. So
//
//	Σ_{i<n}  =  what was kept at k  +  Σ_{k≤i<n}
//
// block by block, with the same roundings, whoever stopped in between. What is kept has a digest of the rows, of their features and of what is added up for its
// name. Another problem asks for another name, and nobody has to say which run made it. A fit that is begun anew asks for the same passes one after the other. It finds
// those that are done, and goes on with the one that was under way.

// A Keeper keeps numbers under digests of all that they depend on, so that a program that was stopped goes on with them.
type Keeper interface {
	// Restore fills parts with what is kept under a key, and reports whether there is anything that fits.
	Restore(key [sha256.Size]byte, parts ...[]float64) (bool, error)
	// Keep keeps parts under a key.
	Keep(key [sha256.Size]byte, parts ...[]float64) error
	// Pause returns how long a pass goes on before it is kept again, where it took so long to keep it. A third of that is worth being kept at the end.
	Pause(took time.Duration) time.Duration
}

// Keeping says where passes over rows are kept, and has a digest of these rows and of their features. Nil keeps none.
type Keeping struct {
	Keeper Keeper
	Of     [sha256.Size]byte
	took   time.Duration // to keep a pass the last time
	// begun counts the passes of a digest. Those at one V differ in what is made of rows, as folds do, and come in the same order whenever a fit begins.
	begun map[[sha256.Size]byte]byte
}

// targetsAtOnce is how many targets are written to a digest at once.
const targetsAtOnce = 1 << 13

// underWay is a pass that is kept from time to time. Its methods do nothing where it is nil. Numbers are those of the pass itself, so that they are
// neither copied to be kept, nor after they were restored.
type underWay struct {
	of          *Keeping
	key         [sha256.Size]byte
	done        []float64 // how many rows have passed, one number
	parts       [][]float64
	began, last time.Time
}

// begin returns a pass with the numbers that change under way. It has a digest of all else that these depend on, which is written to a hash.
func (k *Keeping) begin(write func(io.Writer), parts ...[]float64) *underWay {
	if k == nil {
		return nil
	}
	sum := sha256.New()
	sum.Write(k.Of[:])
	write(sum)
	u := &underWay{of: k, done: make([]float64, 1), began: time.Now()}
	u.last, u.parts = u.began, append([][]float64{u.done}, parts...)
	sum.Sum(u.key[:0])
	if k.begun == nil {
		k.begun = map[[sha256.Size]byte]byte{}
	}
	k.begun[u.key]++
	u.key = sha256.Sum256(append(u.key[:], k.begun[u.key]))
	return u
}

// restore sets the numbers to what was kept, and returns how many rows have passed by then. It returns 0 where nothing is kept, or what is there was damaged, and the
// numbers are as they were.
func (u *underWay) restore() (done int, err error) {
	if u == nil {
		return 0, nil
	}
	known, err := u.of.Keeper.Restore(u.key, u.parts...)
	if err != nil || !known {
		return 0, err
	}
	return int(u.done[0]), nil
}

// keep keeps the numbers of a pass after so many of n rows, where that is worth it. Passes of a fraction of a second are quicker made again than kept, and
// their files would soon be many.
func (u *underWay) keep(done, n int) error {
	if u == nil {
		return nil
	}
	pause, now := u.of.Keeper.Pause(u.of.took), time.Now()
	if done < n && now.Sub(u.last) < pause || now.Sub(u.began) < pause/3 {
		return nil
	}
	u.done[0] = float64(done)
	err := u.of.Keeper.Keep(u.key, u.parts...)
	u.last = time.Now()
	u.of.took = u.last.Sub(now)
	return err
}

// digest writes what sums depend on beside the points to a hash. Functionals are those that are added up on the way, and nil where there are none. Others have no
// part in the sums, so that another R finds the sums of the same rows.
func (r *Rows) digest(w io.Writer, gathered *plugins.Block) {
	n, _ := r.X.Dims()
	hashes.Write(w, []int32{int32(r.Labels), int32(r.Parts)})
	hashes.Write(w, r.Weight)
	hashes.Write(w, r.Part)
	// Targets are a function, which needs no memory of its own.
	targets := make([]float64, 0, targetsAtOnce+r.Labels)
	for i := range n {
		for y := range r.Labels {
			targets = append(targets, r.Target(i, y))
		}
		if len(targets) >= targetsAtOnce || i == n-1 {
			hashes.Write(w, targets)
			targets = targets[:0]
		}
	}
	if gathered == nil {
		return
	}
	hashes.Write(w, gathered.Start)
	hashes.Write(w, gathered.Point)
	hashes.Write(w, gathered.Label)
	hashes.Write(w, gathered.Coef)
	for i := range gathered.Labels {
		hashes.Write(w, gathered.Labels[i].Index)
		hashes.Write(w, gathered.Labels[i].Value)
	}
}

// A keptPass is a pass of rows at a V that is kept. Scores and sizes of its rows are kept with the sums, and shown again when it goes on. What is added up
// depends on what is made of them, too. So a digest of that is kept, and sums of something else are not taken.
type keptPass struct {
	*underWay
	n             int
	scores, sizes []float64 // of all rows
	made          hash.Hash // of the columns and curves of rows that have passed
	said          []float64 // its bytes, a number each
}

// keep returns the pass that a passage comes from, as it is kept. It is nil where none is.
func (p *Passing) keep(v blas64.General, g *polar.Glance, to *polar.Passage, off float64) *keptPass {
	if p.Keeping == nil {
		return nil
	}
	n, _ := p.X.Dims()
	k := &keptPass{n: n, scores: make([]float64, n*v.Rows), sizes: make([]float64, n), made: sha256.New(), said: make([]float64, sha256.Size)}
	numbers := [][]float64{k.said, k.scores, k.sizes, to.Sums.Data}
	for _, gram := range to.Grams {
		numbers = append(numbers, lower(gram)...)
	}
	k.underWay = p.Keeping.begin(func(w io.Writer) {
		hashes.Write(w, []int32{int32(v.Rows), int32(g.Columns.Cols), int32(g.Curves.Cols)})
		hashes.Write(w, v.Data)
		hashes.Write(w, []float64{off})
	}, numbers...)
	return k
}

// replay shows the rows of a pass that was kept, and goes on behind them. It begins anew where something else is made of them.
func (k *keptPass) replay(g *polar.Glance, see func(*polar.Glance)) error {
	if k == nil {
		return nil
	}
	done, err := k.restore()
	if err != nil || done == 0 {
		return err
	}
	for g.First < done {
		rows := showing(g, k.n)
		copy(g.Scores.Data, k.scores[g.First*g.Scores.Cols:][:rows*g.Scores.Cols])
		copy(g.Sizes, k.sizes[g.First:])
		see(g)
		k.write(g)
		g.First += rows
	}
	if slices.Equal(k.said, numbersOf(k.made)) {
		return nil
	}
	// What is seen of rows replaces what was seen of them before.
	g.First, g.Sizes = 0, g.Sizes[:cap(g.Sizes)]
	k.made.Reset()
	for _, part := range k.parts {
		clear(part)
	}
	return nil
}

// write adds what was made of rows to the digest. It asks for next to no time beside the features of these rows, which have many more numbers.
func (k *keptPass) write(g *polar.Glance) {
	hashes.Write(k.made, g.Columns.Data[:g.Columns.Rows*g.Columns.Cols])
	hashes.Write(k.made, g.Curves.Data[:g.Curves.Rows*g.Curves.Cols])
}

// glanced notes the rows of a glance, and keeps the pass where that is worth it.
func (k *keptPass) glanced(g *polar.Glance) error {
	if k == nil {
		return nil
	}
	copy(k.scores[g.First*g.Scores.Cols:], g.Scores.Data[:g.Scores.Rows*g.Scores.Cols])
	copy(k.sizes[g.First:], g.Sizes)
	k.write(g)
	copy(k.said, numbersOf(k.made))
	return k.keep(g.First+len(g.Sizes), k.n)
}

// lower returns the lower triangle of a matrix row by row, in the same memory.
func lower(g blas64.General) (out [][]float64) {
	for i := range g.Rows {
		out = append(out, rowOf(g, i)[:i+1])
	}
	return out
}

// numbersOf returns the bytes of a digest as numbers.
func numbersOf(sum hash.Hash) []float64 {
	out := make([]float64, sha256.Size)
	for i, b := range sum.Sum(nil) {
		out[i] = float64(b)
	}
	return out
}
