package embed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/kernel"
	"github.com/sipc-ml/sipc/runtime/setting"
)

const (
	// leastBudget and mostBudget bound the number of landmarks that All takes from more than fewPoints points. These are
	// as many as training rows, and more while they lose much. jointBudget bounds the dimension d·m of m labels that
	// functionals couple, as long as a fifth more than the training rows fit.
	leastBudget, mostBudget, jointBudget = 1000, 3000, 2000
	// mostWork bounds points · landmarks² of what All takes beyond its least number: the work of 3000 landmarks of as
	// many points. Whatever is done with landmarks grows like that, for every functional looks at some points. From workRows training rows
	// on it grows with the square of the rows, as what machines on copies do grows, which lose no point.
	mostWork, workRows = 2.7e10, 250
	// TableSize bounds the numbers in a table of candidates × landmarks. A seeded draw thins out more candidates.
	TableSize = 4e7
	// MostTable bounds those of a table of All. So 1000 rows and 24 copies of each have 3000 landmarks.
	MostTable = 7.5e7
	// negligible is the share of the candidates' trace at which a draw stops.
	negligible = 1e-8
)

// Streams of random numbers, one for each purpose, so that one draw does not shift another.
const (
	streamThin uint64 = 0x656d6265640000 + iota
	streamLeverage
	streamKMeans
	_ // so that the streams below keep their numbers
	streamFourier
	streamSpan
)

// candidates are the distinct points that landmarks come from, training rows first.
type candidates struct {
	points *Points
	canon  *Canon
	ids    []int32
	// rows of ids are training rows.
	rows      int
	thinned   bool // ids are a draw of the candidates
	landmarks *mat.Dense
	// derived are derivatives that are landmarks too.
	derived []kernel.Argument
	// drawn is the draw that chose the landmarks; nil where all are taken. Its factor has the features of the candidates that were left in it.
	// The map takes them from there, until it forgets them. Points that were thinned out are mapped by the kernel.
	drawn *pivots
	// choice says how landmarks were drawn; nil where the candidates are few, or the caller counts.
	choice *Choice
}

// A Labels counts labels over which f is a function. Coupled are those that a functional compares with one another, 1
// where each looks at one label.
type Labels struct{ Count, Coupled int }

// chooseLandmarks collects the candidates and chooses landmarks among them. If every point fits, derivatives become
// landmarks, too, so that nothing is lost.
func chooseLandmarks(ctx context.Context, k *kernel.Function, s setting.Features, labels Labels, points *Points) (*candidates, error) {
	canon := points.Canon()
	values, rows, derivatives := points.atoms(canon)
	c := &candidates{points: points, canon: canon, ids: values, rows: rows}
	var count, most int
	switch s.Landmarks {
	case setting.AllLandmarks, "":
		count, most = c.budget(labels.Coupled)
	case setting.RowLandmarks:
		c.ids, count = values[:rows], rows
	case setting.CountLandmarks:
		if count = s.Count; count == 0 {
			return nil, fmt.Errorf("features nystrom: the number of landmarks is 0; it must be at least 1")
		}
	default:
		return nil, fmt.Errorf("features nystrom: landmarks %q are unknown; there are all, rows and a count", s.Landmarks)
	}
	if err := c.choose(ctx, k, s, count, most); err != nil {
		return nil, err
	}
	// A user who asks for rows or a count gets just these.
	whole := count >= len(values) && s.Landmarks != setting.RowLandmarks && s.Landmarks != setting.CountLandmarks
	if size := len(values) + len(derivatives); whole && k.Differentiable() && c.fits(size, labels.Count) {
		c.derived = points.derivatives(derivatives)
	}
	return c, nil
}

// MostLandmarks bounds how many landmarks a Nyström or exact map of rows has, among so many points of functionals and rows.
func MostLandmarks(s setting.Features, rows, points int) float64 {
	d := min(rows, mostPoints)
	switch {
	case s.Kind == setting.Exact:
		d = min(points, mostExact)
	case s.Landmarks == setting.CountLandmarks:
		d = min(s.Count, points, mostPoints)
	case s.Landmarks == setting.AllLandmarks || s.Landmarks == "":
		d = min(points, mostBudget)
	}
	return float64(d)
}

// fits reports whether so many landmarks are few enough to take them all.
func (c *candidates) fits(size, labels int) bool {
	return size <= fewPoints && size*labels <= jointBudget
}

// budget returns the number of landmarks that All takes, and up to how many it goes on while they lose much. Labels are
// those that are coupled.
func (c *candidates) budget(labels int) (least, most int) {
	n := len(c.ids)
	if c.fits(n, labels) {
		return n, n
	}
	b := min(max(leastBudget, c.rows), mostBudget)
	least = max(1, min(b, max(c.rows+c.rows/5, jointBudget/labels)))
	most = least
	if labels == 1 {
		work := mostWork * math.Pow(max(1, float64(c.rows)/workRows), 2)
		most = max(least, min(n, mostBudget, int(math.Sqrt(work/float64(n))), int(MostTable)/n))
	}
	return least, most
}

// choose sets the landmarks: all candidates if there are no more than count, else a draw. With a larger number most
// the draw goes on to it, as long as what is lost is worth more landmarks.
func (c *candidates) choose(ctx context.Context, k *kernel.Function, s setting.Features, count, most int) error {
	if size := min(count, len(c.ids)); size > mostPoints {
		return fmt.Errorf("features nystrom: %d landmarks are too many, at most %d fit; write nystrom(landmarks = 2000), or take fourier features", size, mostPoints)
	}
	if count >= len(c.ids) {
		c.landmarks = c.points.Gather(c.ids)
		return nil
	}
	c.thin(count, s.Seed)
	var chosen []int
	var err error
	switch s.Draw {
	case setting.Leverage, "":
		var p *pivots
		if p, err = drawPivots(ctx, k, c, count, most, s.Seed); err == nil {
			chosen, c.drawn = p.chosen, p
		}
		if err == nil && most > 0 {
			c.choice = p.choice()
		}
	case setting.KMeans:
		c.landmarks, err = clusterCentres(ctx, c.points.Gather(c.ids), count, s.Seed)
		return err
	default:
		err = fmt.Errorf("features nystrom: the draw %q is unknown; there are leverage and kmeans", s.Draw)
	}
	if err != nil {
		return err
	}
	if len(chosen) == 0 { // a draw takes no point at which all functions are 0
		return errVanishes(k)
	}
	ids := make([]int32, len(chosen))
	for i, j := range chosen {
		ids[i] = c.ids[j]
	}
	c.landmarks = c.points.Gather(ids)
	return nil
}

// thin keeps a seeded draw of the candidates if a table of candidates × count would be too large. Training rows keep
// at least half of the places, if there are so many.
func (c *candidates) thin(count int, seed uint64) {
	most := max(int(TableSize)/count, 2*count)
	if len(c.ids) <= most {
		return
	}
	rng := rand.New(rand.NewPCG(seed, streamThin))
	draw := func(ids []int32, keep int) []int32 {
		if len(ids) <= keep {
			return ids
		}
		order := rng.Perm(len(ids))[:keep]
		// In the order of the data, so that landmarks do not depend on how the draw shuffles.
		slices.Sort(order)
		out := make([]int32, keep)
		for i, j := range order {
			out[i] = ids[j]
		}
		return out
	}
	rows, others := c.ids[:c.rows], c.ids[c.rows:]
	keep := min(c.rows, max(most/2, most-len(others)))
	rows = draw(rows, keep)
	others = draw(others, most-keep)
	c.rows, c.ids, c.thinned = len(rows), slices.Concat(rows, others), true
}
