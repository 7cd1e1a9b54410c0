package setting_test

import (
	"testing"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Learners are written as the language has them.
func TestLearnersAreWritten(t *testing.T) {
	for want, l := range map[string]setting.Learner{
		"svm(C = 2)":                 {Kind: setting.SVM, Strength: 2},
		"svm(C = 1, loss = squared)": {Kind: setting.SquaredSVM},
		"svm(C = 1, probabilities = on, loss = squared)": {Kind: setting.SquaredSVM, Probabilities: true},
		"softmax(C = 3) under 2 maps":                    {Kind: setting.Softmax, Strength: 3, Copies: 2},
		"ridge(lambda = 0.5)":                            {Kind: setting.Ridge, Strength: 0.5},
		"":                                               {},
	} {
		if got := l.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
