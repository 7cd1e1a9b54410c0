package model

import (
	"errors"
	"testing"

	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// Features that are all but zero at the training rows are refused, as the strength of the loss would be infinite.
func TestFeaturesThatVanishAreRefused(t *testing.T) {
	m := &minimizer{f: &fitter{rep: &represent.Representer{Scale: 1e160}}}
	if _, err := m.pose(); !errors.Is(err, errVanishing) {
		t.Errorf("features of norm 1e-160: %v", err)
	}
}

// Embeddings whose squared norms leave the range of floating point are not scaled, so that scores stay numbers.
func TestEmbeddingsThatVanishAreNotScaled(t *testing.T) {
	train := labelled(6, 2)
	train.X.Scale(1e-160, train.X)
	o := wholeOptions(setting.Plain, 1e-3)
	o.Kernel, o.Features = setting.Kernel{Kind: setting.Linear}, setting.Features{Kind: setting.Exact}
	out, err := Fit(t.Context(), train, &regularizer.Regularizer{}, o)
	if err != nil {
		t.Fatal(err)
	}
	if out.Model.Represent.Scale != 1 {
		t.Errorf("the scale is %v", out.Model.Represent.Scale)
	}
}
