package learn

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Quality returns the metric that decides about learners for a task.
func Quality(truth *Targets, scores *mat.Dense) float64 {
	return quality(truth, Decide(truth.Task, scores))
}

// quality does what Quality does, of what the scores decide.
func quality(truth *Targets, p *Prediction) float64 {
	switch truth.Task {
	case setting.Multilabel:
		return metric.MicroAverageF1(truth.Multi, p.Multi, truth.Weight)
	case setting.Real:
		return metric.RootMeanSquareError(truth.Real, p.Real, truth.Weight)
	case setting.Counts:
		return metric.PoissonDeviance(truth.Real, p.Real, truth.Weight)
	case setting.Quantiles:
		return metric.PinballLoss(truth.Real, truth.Levels, p.Levels, truth.Weight)
	case setting.Binary, setting.Class:
	}
	return metric.ShareEqual(truth.Class, p.Class, truth.Weight)
}

// surprise returns the mean log loss of scores that are taken as log odds, or as logarithms of the odds of classes. It is 0 for numbers. Where decisions
// are equal, it tells which scores are on the right side by more.
//
//	binary, labels   log(1 + exp(−ts)), t = ±1
//	classes          log Σ_c exp(s_c) − s_y
func surprise(truth *Targets, scores *mat.Dense) float64 {
	n, m := scores.Dims()
	sum := 0.0
	for i := range n {
		loss, row := 0.0, scores.RawRowView(i)
		switch truth.Task {
		case setting.Binary:
			loss = softplus(row[0], truth.Class[i] == 1)
		case setting.Class:
			loss = floats.LogSumExp(row) - row[truth.Class[i]]
		case setting.Multilabel:
			for y, s := range row {
				loss += softplus(s, truth.Multi.At(i, y) > 0) / float64(m)
			}
		case setting.Real, setting.Counts, setting.Quantiles:
			return 0
		}
		sum += truth.Of(i) * loss
	}
	return sum / truth.Total()
}

// softplus returns log(1 + exp(−s)) of a score that is to be positive, and log(1 + exp(s)) of another.
func softplus(s float64, positive bool) float64 {
	if positive {
		s = -s
	}
	return max(s, 0) + math.Log1p(math.Exp(-math.Abs(s)))
}

// standardError returns the standard error of quality over n rows, sd(u)/√n, to first order. u is how much each row counts in it:
//
//	accuracy   u = 1 where the row is right, else 0
//	RMSE       u = e²/(2·RMSE), for the row's error e
//	deviance   u = 2(t log(t/μ) − t + μ), for the row's count t and rate μ
//	pinball    u = the mean loss of the row over the levels
//	micro-F1   u = (a − F1·b)/mean(b), where F1 = Σa/Σb: a is twice the row's true positives, b its labels and its decisions together
//
// It is NaN for fewer than two rows. A row with the weight w counts as w of them.
func standardError(truth *Targets, p *Prediction) float64 {
	u, q, by := make([]float64, truth.Len()), quality(truth, p), 1.0
	total := truth.Total()
	switch truth.Task {
	case setting.Multilabel:
		by = 0
		for i := range u {
			t, d := truth.Multi.RawRowView(i), p.Multi.RawRowView(i)
			count := floats.Sum(t) + floats.Sum(d)
			u[i] = 2*floats.Dot(t, d) - q*count
			by += weightAt(truth.Weight, i) * count / total
		}
	case setting.Real:
		by = 2 * q
		for i := range u {
			e := truth.Real[i] - p.Real[i]
			u[i] = e * e
		}
	case setting.Quantiles:
		for i := range u {
			u[i] = metric.PinballOf(truth.Real[i], truth.Levels, p.Levels.RawRowView(i))
		}
	case setting.Counts:
		for i := range u {
			u[i] = metric.DevianceOf(truth.Real[i], p.Real[i])
		}
	case setting.Binary, setting.Class:
		for i := range u {
			if truth.Class[i] == p.Class[i] {
				u[i] = 1
			}
		}
	}
	_, sd := stat.MeanStdDev(u, truth.Weight)
	// by is 0 only where u is, without any error or label.
	return sd / math.Sqrt(total) / max(by, math.SmallestNonzeroFloat64)
}
