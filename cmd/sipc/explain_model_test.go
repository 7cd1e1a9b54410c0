package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"math"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/clitest"
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// sums holds what the members of every invariance contribute to the value that the run reported of it.
func sums(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 2, "sums FILE METRICS")
	var w report.Witnesses
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &w))
	var run struct{ Regularizer []report.Summand }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &run))
	if len(w.Invariances) == 0 || len(w.Invariances) != len(run.Regularizer) {
		ts.Fatalf("%d invariances, the run reports %d", len(w.Invariances), len(run.Regularizer))
	}
	squares := 0.0
	for i, inv := range w.Invariances {
		sum, shares := 0.0, 0.0
		for _, m := range inv.Members {
			sum += float64(m.Contribution)
		}
		for _, s := range inv.Statements {
			shares += float64(s.Share)
		}
		value := float64(run.Regularizer[i].Value)
		if value <= 0 || math.Abs(sum-value) > 1e-9*value || math.Abs(shares-1) > 1e-9 || len(inv.Members) != inv.Active {
			ts.Fatalf("%s is %v, its members contribute %v, the shares of its statements are %v", inv.Name, value, sum, shares)
		}
		squares += inv.Weight * inv.Weight * value * value
	}
	if r := float64(w.Value); math.Abs(r*r-squares) > 1e-9*squares {
		ts.Fatalf("R is %v, the invariances come to %v", r, math.Sqrt(squares))
	}
}

// earlier writes a plain model as version 2 had it, which knew no witnesses.
func earlier(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 1, "earlier MODEL")
	path := ts.MkAbs(args[0])
	m, err := sipc.LoadModel(path)
	ts.Check(err)
	var body bytes.Buffer
	ts.Check(gob.NewEncoder(&body).Encode(struct {
		About    model.About
		Method   setting.Method
		Features *embed.State
		Labels   int
		Scale    float64
		Gap      float64
		Fit      *learn.Fit
	}{m.About, m.Represent.Method, m.Represent.Features.State(), m.Represent.Labels, m.Represent.Scale, m.Represent.Gap, m.Fit}))
	sum := sha256.Sum256(body.Bytes())
	ts.Check(os.WriteFile(path, append(append([]byte("sipc model 2\n"), sum[:]...), body.Bytes()...), 0o600))
}
