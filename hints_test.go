package sipc

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/report"
)

// A cost of less than half a percent is told without a percentage, which would read 0 % more.
func TestSmallCostHasNoPercentage(t *testing.T) {
	at := func(rmse float64) *evaluation {
		return &evaluation{metrics: report.Metrics{Figures: metric.Figures{{Name: metric.RMSE, Value: rmse}}}}
	}
	for own, told := range map[float64]bool{1.004: false, 1.006: true} {
		f := &findings{evaluation: at(own), baseline: &baseline{evaluation: at(1)}, cost: &report.Cost{Metric: metric.RMSE}}
		if text := f.hintsCost()[0]; strings.Contains(text, " % more") != told || strings.Contains(text, "0 % more") {
			t.Error(text)
		}
	}
}
