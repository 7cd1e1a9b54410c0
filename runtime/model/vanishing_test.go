package model

import (
	"errors"
	"testing"

	"github.com/sipc-ml/sipc/runtime/represent"
)

// Features that are all but zero at the training rows are refused, as the strength of the loss would be infinite.
func TestFeaturesThatVanishAreRefused(t *testing.T) {
	m := &minimizer{f: &fitter{rep: &represent.Representer{Scale: 1e160}}}
	if _, err := m.pose(); !errors.Is(err, errVanishing) {
		t.Errorf("features of norm 1e-160: %v", err)
	}
}
