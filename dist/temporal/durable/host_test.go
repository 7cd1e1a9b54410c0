package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/blocks"
)

// blocksError is one that the user must mend.
var blocksError = blocks.Error{Path: "work", Problem: "it was changed", Mend: "plan again"}

const spec = `data { target bought : binary(no, yes) }
kernel     gaussian(width = median)
features   nystrom(landmarks = all)
invariance steady = rms over x of max over t in {move(x, 0.2), move(y, -0.2)} of |f(t(x)) - f(x)|
regularize steady
learn      svm
`

// planned makes a model and a plan in the folder work of a shared one. It returns what asks for its rows, and the bytes of sipc embed.
func planned(t *testing.T) (shared string, r Request, want []byte) {
	t.Helper()
	shared = t.TempDir()
	path := func(name string) string { return filepath.Join(shared, name) }
	var table strings.Builder
	table.WriteString("x,y,bought\n")
	for i := range 24 {
		fmt.Fprintf(&table, "%d.%d,%d,%s\n", i%5, i, i%7, []string{"no", "yes"}[i%2])
	}
	err := os.WriteFile(path("rows.csv"), []byte(table.String()), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	s := sipc.NewSpec(t.Context(), path("spec.inv"), []byte(spec), sipc.SpecOptions{})
	defer s.Close()
	done, err := sipc.Perform(t.Context(), s, sipc.RunOptions{Data: path("rows.csv"), Test: path("rows.csv"), Unmeasured: true})
	if err == nil {
		err = done.Model.Save(path("model.sipc"))
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := sipc.LoadModel(t.Context(), path("model.sipc"))
	if err == nil {
		_, err = sipc.EmbedRows(t.Context(), m, path("rows.csv"), path("all.npy"), sipc.ApplyOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := sipc.PlanRows(t.Context(), m, path("model.sipc"), path("rows.csv"), path("work"), sipc.BlockOptions{Rows: 5, Ending: ".npy"})
	if err != nil {
		t.Fatal(err)
	}
	if want, err = os.ReadFile(path("all.npy")); err != nil {
		t.Fatal(err)
	}
	return shared, Request{Folder: "work", Plan: b.Plan.SHA256(), Blocks: len(b.Plan.Blocks), Out: "merged.npy", InFlight: 2}, want
}

// run runs the workflow of a request with activities that compute.
func run(h *Host, r Request) (*Result, error) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	h.Register(env)
	env.ExecuteWorkflow(workflowName, r)
	out := &Result{}
	return out, env.GetWorkflowResult(out)
}

// The file has the bytes of sipc embed, and its certificate comes with it. Blocks that are done cost nothing.
func TestSameBytes(t *testing.T) {
	shared, r, want := planned(t)
	h := NewHost(shared)
	for range 2 {
		out, err := run(h, r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(shared, r.Out))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("other bytes; %v", err)
		}
		sum, err := sipc.FileSum(t.Context(), filepath.Join(shared, "all.npy"))
		if err != nil || out.SHA256 != sum || out.Certificate.Count != 24 || !strings.HasPrefix(out.Certificate.Text(), "certificate   all 24") {
			t.Errorf("%+v; %v", out, err)
		}
	}
}

// Requests of what was changed, lies elsewhere or cannot be written end with an error that names it.
func TestRequestsAreRefused(t *testing.T) {
	shared, good, _ := planned(t)
	h := NewHost(shared)
	refuses := func(change func(r *Request), text string) {
		t.Helper()
		r := good
		change(&r)
		_, err := run(h, r)
		var said *temporal.ApplicationError
		if !errors.As(err, &said) || said.Type() != refused || !strings.Contains(said.Message(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
	refuses(func(r *Request) { r.Folder = "../work" }, "../work: it is not in the shared folder")
	refuses(func(r *Request) { r.Out = "/merged.npy" }, "/merged.npy: it is not in the shared folder")
	refuses(func(r *Request) { r.Out = "merged.csv" }, "let its name end in .npy")
	refuses(func(r *Request) { r.Plan = strings.Repeat("0", 64) }, "plan.json: this is another plan than the one that was submitted")
	if err := os.Remove(filepath.Join(shared, "work", "out", "000001.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(shared, "work", "in", "000001.rows"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refuses(func(*Request) {}, "000001.rows: it was changed")
}

// What may be of one machine is tried again, perhaps by another one: what is not seen or cannot be read, too little memory, another program.
func TestWhatMayBeOfOneMachine(t *testing.T) {
	shared, r, _ := planned(t)
	tried := func(bytes int64, name, text string, change func(work string) error) {
		t.Helper()
		work := filepath.Join(shared, "work")
		if err := errors.Join(os.RemoveAll(work), os.CopyFS(work, os.DirFS(filepath.Join(shared, "kept"))), change(work)); err != nil {
			t.Fatal(err)
		}
		h := NewHost(shared)
		h.late = 0
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.SetWorkerOptions(worker.Options{BackgroundActivityContext: limits.WithMemory(t.Context(), bytes)})
		env.RegisterActivityWithOptions(h.merge, activity.RegisterOptions{Name: mergeName})
		env.RegisterActivityWithOptions(h.block, activity.RegisterOptions{Name: blockName})
		_, err := env.ExecuteActivity(name, map[string][]any{mergeName: {r}, blockName: {r, 0}}[name]...)
		var said *temporal.ApplicationError
		if !errors.As(err, &said) || said.NonRetryable() || !strings.Contains(said.Message(), text) {
			t.Errorf("%v, want %q", err, text)
		}
	}
	loop := func(path string) error { return errors.Join(os.RemoveAll(path), os.Symlink(filepath.Base(path), path)) }
	if err := os.Rename(filepath.Join(shared, "work"), filepath.Join(shared, "kept")); err != nil {
		t.Fatal(err)
	}
	tried(1<<30, blockName, "plan.json: there is no such file; see that --shared", os.RemoveAll)
	tried(1<<30, blockName, "plan.json: the file cannot be opened", func(work string) error { return loop(filepath.Join(work, "plan.json")) })
	tried(1<<30, blockName, "000000.rows: it cannot be read", func(work string) error { return loop(filepath.Join(work, "in", "000000.rows")) })
	tried(1<<30, blockName, "000000.json: it cannot be read", func(work string) error { return loop(filepath.Join(work, "out", "000000.json")) })
	tried(1, blockName, "memory", func(string) error { return nil })
	tried(1<<30, mergeName, "5 of 5 blocks are not done", func(string) error { return nil })
	tried(1<<30, blockName, "it was planned by another", func(work string) (err error) {
		path := filepath.Join(work, blocks.PlanFile)
		raw, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, regexp.MustCompile(`"program": "[^"]*"`).ReplaceAll(raw, []byte(`"program": "another"`)), 0o600)
		}
		if err == nil {
			r.Plan, err = sipc.FileSum(t.Context(), path)
		}
		return err
	})
}

// A worker that is stopped hands its work back: that is tried again, by another one.
func TestStoppedWorkersHandBack(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	stop := make(chan struct{})
	env.SetWorkerStopChannel(stop)
	work := func(ctx context.Context) error {
		close(stop)
		return during(ctx, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
	}
	env.RegisterActivity(work)
	_, err := env.ExecuteActivity(work)
	var said *temporal.ApplicationError
	if !errors.As(err, &said) || said.NonRetryable() || said.Message() != errStopping.Error() {
		t.Error(err)
	}
}
