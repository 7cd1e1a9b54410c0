package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sipc-ml/sipc/internal/clitest"
	"github.com/sipc-ml/sipc/runtime/report"
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

// forged replaces a word in the header of a model, and makes its digest fit again.
func forged(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 3, "forged MODEL OLD NEW")
	parts := bytes.SplitN([]byte(ts.ReadFile(args[0])), []byte("\n"), 3)
	header := append(bytes.ReplaceAll(parts[1], []byte(args[1]), []byte(args[2])), '\n')
	first := parts[0][:len(parts[0])-2*sha256.Size]
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), fmt.Appendf(nil, "%s%x\n%s%s", first, sha256.Sum256(header), header, parts[2]), 0o600))
}

// earlier makes a model file one of version 4, which was not JSON.
func earlier(ts *testscript.TestScript, neg bool, args []string) {
	clitest.Want(ts, neg, args, 1, "earlier MODEL")
	data := []byte(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Replace(data, []byte("sipc model 13"), []byte("sipc model 5"), 1), 0o600))
}
