package polar

import (
	"context"
	"math"
)

// maxLevel bounds the levels of β to ±maxLevel.
const maxLevel = 12

// step is β at a level: half a decade apart.
func step(level int) float64 { return math.Pow(10, float64(level)/2) }

// lean is where ‖c‖/(β‖t‖) is steered to: 1/lean. At 1 the residual would count equally in t and in c, but on mixup, logic and
// transform problems (α 0.01 and 0.1) a β ten times as large takes a third of the iterations; 3 and 40 are both worse.
const lean = 10

// levelFor is the level at which a row should go on. ratio is ‖c‖/(β‖t‖) in the metric. Levels change rarely, as each change
// forgets what the acceleration has learnt.
func (b *block) levelFor(r *row, ratio float64) int {
	wait := 5
	if r.moved > 0 {
		wait = 40
	}
	if b.it-r.moved < wait || math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio == 0 {
		return r.level
	}
	move := math.Round(2 * math.Log10(lean*ratio))
	return int(min(max(float64(r.level)+move, -maxLevel), maxLevel))
}

// factor is the factor at a level, made when it is first needed.
func (s *Solver) factor(ctx context.Context, level int) (Factor, error) {
	if f := s.levels[level]; f != nil {
		return f, nil
	}
	w := make([]float64, s.r)
	for j, x := range s.metric {
		w[j] = step(level) * x
	}
	f, err := s.problem.A.Factor(ctx, s.problem.Alpha, w)
	if err != nil {
		return nil, err
	}
	s.levels[level] = f
	return f, nil
}
