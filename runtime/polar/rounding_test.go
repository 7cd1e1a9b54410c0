package polar

import (
	"math"
	"testing"
)

// Bounds in the wrong order are no gap of 0.
func TestContradictionIsNoGap(t *testing.T) {
	if gap := Gap(2, 1); !math.IsNaN(gap) {
		t.Errorf("a lower bound of 2 and an upper one of 1 have the gap %v", gap)
	}
	if gap := Gap(0, 1); !math.IsInf(gap, 1) {
		t.Errorf("nothing proved is the gap %v", gap)
	}
	if gap := Gap(0, 0); gap != 0 {
		t.Errorf("zero has the gap %v", gap)
	}
	task := &task{cert: certificate{lower: 2, upper: 1}, watch: newWatch()}
	if task.judge(Settings{Gap: 1}, task.cert.gap(), false); !task.done || task.status.String() != "bounds contradict each other" {
		t.Errorf("contradicting bounds end as %v", task.status)
	}
}
