package polar

import (
	"context"
	"math"

	"github.com/sipc-ml/sipc/internal/limits"
)

// maxLevel bounds the levels of β to ±maxLevel.
const maxLevel = 12

// step returns β at a level: half a decade per level, so that few factors serve all tasks.
func step(level int) float64 { return math.Pow(10, float64(level)/2) }

// lean sets the ratio that steps aim at, ‖c‖/(β‖t‖) = 1/lean. At 1 the residual would count equally in t and in c. On
// mixup, logic and transform problems (α 0.01 and 0.1) a β ten times as large takes a third of the iterations. 3 and
// 40 are both worse.
const lean = 10

const (
	// settleFirst and settleLater are the iterations before the level changes for the first time, and between
	// changes.
	settleFirst = 3
	settleLater = 40
	// settleSlow is the number of remaining iterations above which a level that was chosen early counts as too high.
	settleSlow = 80
)

// levelFor returns the level at which a task should go on. ratio is ‖c‖/(β‖t‖) in the metric. Levels change rarely,
// since each change forgets what the acceleration has learnt.
func (t *task) levelFor(ratio, target float64, dim int) int {
	wait := settleFirst
	if t.moves > 0 {
		wait = settleLater
	}
	if t.iterations-t.moved < wait || math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio == 0 {
		return t.level
	}
	stride := 1.0
	if dim >= coarseDim {
		stride = 2
	}
	// c and t depend little on β near the solution, so β must grow by the factor lean·ratio.
	move := 2 * math.Log10(lean*ratio) / stride
	if t.moves == 0 {
		move = math.Round(move)
	}
	move = stride * math.Trunc(move)
	if move == 0 && t.moves == 1 && t.level > 2 && t.watch.remaining(target) > settleSlow {
		move = -stride
	}
	return int(min(max(float64(t.level)+move, -maxLevel), maxLevel))
}

// coarseDim is the dimension from which factors are so expensive that levels are a decade apart.
const coarseDim = 4000

// weights returns βW at a level.
func (s *Solver) weights(level int) []float64 {
	w := make([]float64, s.r)
	for j, x := range s.metric {
		w[j] = step(level) * x
	}
	return w
}

// factor returns the factor at a level, made on the first call.
func (s *Solver) factor(ctx context.Context, level int) (Factor, error) {
	s.factoring.Lock()
	defer s.factoring.Unlock()
	if f := s.levels[level]; f != nil {
		return f, nil
	}
	err := s.whole(ctx, func(ctx context.Context) (err error) {
		s.levels[level], err = s.problem.A.Factor(ctx, s.problem.Alpha, s.weights(level))
		return err
	})
	if err != nil {
		delete(s.levels, level)
		return nil, err
	}
	return s.levels[level], nil
}

// factor32 returns the factor at a level in single precision, made on the first call.
func (s *Solver) factor32(ctx context.Context, a SingleOperator, level int) (Factor32, error) {
	s.factoring.Lock()
	defer s.factoring.Unlock()
	if f := s.levels32[level]; f != nil {
		return f, nil
	}
	err := s.whole(ctx, func(ctx context.Context) (err error) {
		s.levels32[level], err = a.Factor32(ctx, s.problem.Alpha, s.weights(level))
		return err
	})
	if err != nil {
		delete(s.levels32, level)
		return nil, err
	}
	return s.levels32[level], nil
}

// whole makes a factor. Without the first there is no result, so that the end of the time cancels it. Those after it take as
// long as it did, and results are there to be kept.
func (s *Solver) whole(ctx context.Context, do func(context.Context) error) error {
	if len(s.levels)+len(s.levels32) > 0 {
		return do(ctx)
	}
	return limits.Whole(ctx, do)
}
