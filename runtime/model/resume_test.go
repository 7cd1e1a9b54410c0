package model

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A fit that is stopped anywhere goes on with the sums that it kept: no block of rows passes by again but the one that was at work, and the model has the bytes
// of a fit that keeps none.
func TestFitsGoOnWithSumsOfRows(t *testing.T) {
	numbers, yes, few, labels := sloped(5000), answered(5000, setting.Binary), answered(1500, setting.Binary), answered(4000, setting.Multilabel)
	for name, c := range map[string]struct {
		train   *dataset.Set
		reg     *regularizer.Regularizer
		learner setting.Learner
		grid    []float64
	}{
		"ridge":             {numbers, apartR(numbers), setting.Learner{Kind: setting.Ridge, Strength: 1}, nil},
		"ridge, folds":      {numbers, apartR(numbers), setting.Learner{Kind: setting.Ridge}, []float64{0.1, 1}},
		"svm":               {yes, apartR(yes), setting.Learner{Kind: setting.SVM, Strength: 1}, nil},
		"logistic":          {yes, &regularizer.Regularizer{Rows: yes.Len()}, setting.Learner{Kind: setting.Logistic, Strength: 1}, nil},
		"folds":             {few, apartR(few), setting.Learner{Kind: setting.SquaredSVM}, []float64{0.1, 1}},
		"labels, quadratic": {labels, level(labels), setting.Learner{Kind: setting.SquaredSVM, Strength: 1}, nil},
	} {
		o := tellingOptions(setting.Risk)
		o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 12}
		o.Kernel.Width, o.Learner, o.Strengths, o.MostHeld = 2, c.learner, c.grid, 1
		passed := 0 // blocks of rows
		fit := func(folder *cache.Folder, stop int) ([]byte, error) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			own := o
			own.Cache = folder
			before := c.train.Len()
			own.Progress = func(stage string, done, total int) {
				if stage != "add up rows" && !strings.HasSuffix(stage, " over rows") {
					return
				}
				first := before == total // of a pass: rows that were kept, or none
				if before = done; !first {
					passed++
					if stop--; stop == 0 {
						cancel()
					}
				}
			}
			f, err := Fit(ctx, c.train, c.reg, own)
			if err != nil {
				return nil, err
			}
			var b bytes.Buffer
			err = f.Model.Write(&b)
			return b.Bytes(), err
		}
		want, err := fit(nil, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		all := passed
		folder, err := cache.Open(filepath.Join(t.TempDir(), "work"), "this")
		if err != nil {
			t.Fatal(err)
		}
		folder.Every = time.Nanosecond
		passed = 0
		draw := rand.New(rand.NewPCG(8, uint64(all)))
		stops := 0
		for ; ; stops++ {
			got, err := fit(folder, 1+draw.IntN(1+all/4))
			if err == nil {
				if !bytes.Equal(got, want) {
					t.Errorf("%s: the model has other bytes", name)
				}
				break
			}
			if t.Context().Err() != nil || stops > all {
				t.Fatal(name, err)
			}
		}
		if stops == 0 || passed > all {
			t.Errorf("%s: %d blocks of rows passed by in %d fits that were stopped and one that was not, and %d without stops", name, passed, stops, all)
		}
		t.Logf("%s: %d stops, %d blocks of %d", name, stops, passed, all)
	}
}

// Fits that differ in one thing each share a folder, and none takes sums of another one. What a folder has is asked for again by the same fit alone.
func TestFitsShareNoSumsThatDiffer(t *testing.T) {
	folder, err := cache.Open(filepath.Join(t.TempDir(), "work"), "this")
	if err != nil {
		t.Fatal(err)
	}
	folder.Every = time.Nanosecond
	for _, learner := range []setting.Learner{{Kind: setting.Ridge, Strength: 1}, {Kind: setting.Logistic, Strength: 1}} {
		for name, change := range map[string]func(*dataset.Set, *regularizer.Regularizer, *Options){
			"nothing":     func(*dataset.Set, *regularizer.Regularizer, *Options) {},
			"a point":     func(s *dataset.Set, _ *regularizer.Regularizer, _ *Options) { s.X.Set(899, 2, 0.5) },
			"a target":    func(s *dataset.Set, _ *regularizer.Regularizer, _ *Options) { s.Class[899] = 1 - s.Class[899] },
			"a weight":    func(s *dataset.Set, _ *regularizer.Regularizer, _ *Options) { s.Weight[899] *= 2 },
			"weights":     func(s *dataset.Set, _ *regularizer.Regularizer, _ *Options) { s.Weight = nil },
			"a width":     func(_ *dataset.Set, _ *regularizer.Regularizer, o *Options) { o.Kernel.Width = 2.5 },
			"landmarks":   func(_ *dataset.Set, _ *regularizer.Regularizer, o *Options) { o.Features.Count = 13 },
			"a seed":      func(_ *dataset.Set, _ *regularizer.Regularizer, o *Options) { o.Seed = 4 },
			"a strength":  func(_ *dataset.Set, _ *regularizer.Regularizer, o *Options) { o.Learner.Strength = 2 },
			"a grid":      func(_ *dataset.Set, _ *regularizer.Regularizer, o *Options) { o.Strengths = []float64{0.5, 1} },
			"functionals": func(_ *dataset.Set, r *regularizer.Regularizer, _ *Options) { r.Functionals.Coef[899] *= 3 },
		} {
			s := answered(900, setting.Binary)
			reg := apartR(s)
			o := tellingOptions(setting.Risk)
			o.Features = setting.Features{Kind: setting.Nystrom, Landmarks: setting.CountLandmarks, Count: 12}
			o.Kernel.Width, o.Learner, o.Strengths, o.MostHeld = 2, learner, nil, 1
			change(s, reg, &o)
			fit := func(folder *cache.Folder) []byte {
				o.Cache = folder
				f, err := Fit(t.Context(), s, reg, o)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				if err := f.Model.Write(&b); err != nil {
					t.Fatal(err)
				}
				return b.Bytes()
			}
			if want, first, again := fit(nil), fit(folder), fit(folder); !bytes.Equal(first, want) || !bytes.Equal(again, want) {
				t.Errorf("%s, another %s: the model has other bytes", learner.Kind, name)
			}
		}
	}
}
