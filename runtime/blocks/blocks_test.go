package blocks_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/runtime/blocks"
)

const self = "a program"

// planned returns a plan with blocks of so many rows. The input of a block is a line for each of its rows.
func planned(t rapid.TB, dir string, rows ...int) *blocks.Plan {
	t.Helper()
	p, err := blocks.New(dir, self, "part", "sizes")
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, n := range rows {
		if err := p.Add(n, map[string]func(io.Writer) error{"rows": func(w io.Writer) error {
			for range n {
				fmt.Fprintln(w, "row", at)
				at++
			}
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Save(map[string]int{"rows": at}); err != nil {
		t.Fatal(err)
	}
	return p
}

// double writes the rows of a block twice, and how many bytes it has read.
func double(ctx context.Context, t *blocks.Running) error {
	in, err := t.Read(ctx, "rows")
	if err != nil {
		return err
	}
	for line := range bytes.Lines(in) {
		if _, err := t.Output("part").Write(slices.Concat(line, line)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(t.Output("sizes"), t.Index, len(in))
	return err
}

// expected returns what double makes of all rows.
func expected(rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "row %d\nrow %[1]d\n", i)
	}
	return b.String()
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

func folder(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "blocks")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// merged returns what receipts make.
func merged(t *rapid.T, p *blocks.Plan, receipts []*blocks.Receipt) (string, error) {
	t.Helper()
	var part bytes.Buffer
	err := p.Merge(t.Context(), receipts, map[string]io.Writer{"part": &part, "sizes": io.Discard})
	return part.String(), err
}

var anyRows = rapid.SliceOfN(rapid.IntRange(1, 9), 1, 4)

// Any number of workers, whatever was done before them, and any order of receipts make the same bytes. What is done is not done again.
func TestSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := anyRows.Draw(t, "rows")
		dir := folder(t)
		planned(t, dir, rows...)
		p, err := blocks.Open(dir, self)
		if err != nil {
			t.Fatal(err)
		}
		before := map[int]bool{}
		for _, i := range rapid.SliceOf(rapid.IntRange(0, len(rows)-1)).Draw(t, "before") {
			before[i] = true
			if _, err := p.Run(t.Context(), i, double); err != nil {
				t.Fatal(err)
			}
		}
		var calls atomic.Int64
		receipts, err := p.Pool(t.Context(), rapid.IntRange(1, 5).Draw(t, "workers"), func(ctx context.Context, t *blocks.Running) error {
			calls.Add(1)
			return double(ctx, t)
		})
		if err != nil || int(calls.Load()) != len(rows)-len(before) {
			t.Fatalf("%d calls for %d blocks of which %d were done; %v", calls.Load(), len(rows), len(before), err)
		}
		if got, err := merged(t, p, rapid.Permutation(receipts).Draw(t, "order")); err != nil || got != expected(sum(rows)) || p.Rows() != sum(rows) {
			t.Fatalf("%q of %d rows; %v", got, p.Rows(), err)
		}
	})
}

// Whatever is missing, doubled, changed or of another plan or program, is refused, and nothing that is whole.
func TestMergeRefuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := anyRows.Draw(t, "rows")
		dir := folder(t)
		p := planned(t, dir, rows...)
		receipts, err := p.Pool(t.Context(), 2, double)
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(rows)-1).Draw(t, "at")
		r := *receipts[at]
		receipts[at] = &r
		want := ""
		switch rapid.SampledFrom([]string{"missing", "doubled", "plan", "program", "rows", "index", "outputs", "changed", "cut", "gone"}).Draw(t, "fault") {
		case "missing":
			receipts, want = slices.Delete(receipts, at, at+1), fmt.Sprintf("1 of %d blocks are not done: %d;", len(rows), at)
		case "doubled":
			receipts, want = append(receipts, &r), "there are two of this block"
		case "plan":
			r.Plan, want = strings.Repeat("0", 64), "it is of another plan"
		case "program":
			r.Program, want = "another", "another computed it, and the plan is of a program"
		case "rows":
			r.Rows, want = r.Rows+1, fmt.Sprintf("block %d has %d", at, rows[at])
		case "index":
			r.Index, want = len(rows), "there is no block"
		case "outputs":
			r.Outputs, want = map[string]blocks.Content{"part": r.Outputs["part"], "other": r.Outputs["sizes"]}, "its outputs are not"
		case "changed":
			change(t, output(dir, at), func(raw []byte) []byte { raw[len(raw)/2] ^= 1; return raw })
			want = fmt.Sprintf("it was changed: its SHA-256 is to be %s", r.Outputs["part"].SHA256)
		case "cut":
			change(t, output(dir, at), func(raw []byte) []byte { return raw[1:] })
			want = "it was changed"
		case "gone":
			_, want = os.Remove(output(dir, at)), "it cannot be read"
		}
		if _, err := merged(t, p, receipts); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("%v; want %s", err, want)
		}
	})
}

func output(dir string, i int) string {
	return filepath.Join(dir, "out", fmt.Sprintf("%06d.part", i))
}

// change changes a file.
func change(t rapid.TB, path string, how func([]byte) []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, how(raw), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A block that fails or is stopped leaves nothing, and the others stay.
func TestFailingBlocks(t *testing.T) {
	dir := t.TempDir()
	p := planned(t, dir, 3, 2, 4)
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := p.Pool(ctx, 1, func(ctx context.Context, t *blocks.Running) error {
		if err := double(ctx, t); err != nil || t.Index != 1 {
			return err
		}
		cancel(stop)
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err = p.Pool(t.Context(), 1, func(ctx context.Context, t *blocks.Running) error { return errors.Join(double(ctx, t), stop) })
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "out", "*"))
	if err != nil || len(left) != 3 || !strings.HasPrefix(filepath.Base(left[0]), "000000.") {
		t.Errorf("%q, %v", left, err)
	}
	_, err = p.Receipts(t.Context(), 0, nil)
	if lack := (*blocks.MissingError)(nil); !errors.As(err, &lack) || !slices.Equal(lack.Missing, []int{1, 2}) {
		t.Error(err)
	}
	if _, err := p.Run(t.Context(), 3, double); err == nil || !strings.Contains(err.Error(), "there is no block 3; the blocks are 0 to 2") {
		t.Error(err)
	}
}

// Whoever merges may wait for those who compute.
func TestReceiptsAreAwaited(t *testing.T) {
	p := planned(t, t.TempDir(), 1, 1)
	done := make(chan error, 1)
	go func() {
		time.Sleep(20 * time.Millisecond)
		_, err := p.Pool(t.Context(), 2, double)
		done <- err
	}()
	var told []int
	got, err := p.Receipts(t.Context(), time.Minute, func(done, total int) { told = append(told, done, total) })
	if err != nil || len(got) != 2 || got[1].Index != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if n := len(told); n < 4 || !slices.Equal(told[:2], []int{0, 2}) || !slices.Equal(told[n-2:], []int{2, 2}) {
		t.Errorf("told of %v", told)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := planned(t, t.TempDir(), 1).Receipts(ctx, time.Minute, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What does not fit is refused before it is used: plans, inputs, receipts.
func TestFoldersAreRefused(t *testing.T) {
	replace := func(name, old, replacement string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			change(t, filepath.Join(dir, name), func(raw []byte) []byte { return bytes.Replace(raw, []byte(old), []byte(replacement), 1) })
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { t.Helper(); _ = os.Remove(filepath.Join(dir, name)) }
	}
	for name, c := range map[string]struct {
		change func(*testing.T, string)
		want   string
	}{
		"another program":  {replace("plan.json", self, "another"), "it was planned by another, and this is a program"},
		"another schema":   {replace("plan.json", "sipc blocks", "other"), `its schema is "other"`},
		"an unknown field": {replace("plan.json", `"schema"`, `"more": 1, "schema"`), "unknown field"},
		"no blocks": {func(t *testing.T, dir string) {
			t.Helper()
			_ = os.WriteFile(filepath.Join(dir, "plan.json"), []byte(`{"schema":"sipc blocks","version":1}`), 0o600)
		}, "it has no blocks"},
		"a gap of rows":          {replace("plan.json", `"first": 2`, `"first": 3`), "row 2 is next"},
		"a receipt as an output": {replace("plan.json", `"sizes"`, `"json"`), `its outputs are ["part" "json"]`},
		"two outputs of a name":  {replace("plan.json", `"sizes"`, `"part"`), `its outputs are ["part" "part"]`},
		"a path":                 {replace("plan.json", `"rows": {`, `"../rows": {`), "is no name of an input"},
		"a changed input":        {replace("in/000001.rows", "row 2", "row 3"), "000001.rows: it was changed"},
		"a receipt of another block": {func(t *testing.T, dir string) {
			t.Helper()
			change(t, filepath.Join(dir, "out", "000000.json"), func(raw []byte) []byte { return raw })
			raw, _ := os.ReadFile(filepath.Join(dir, "out", "000000.json"))
			_ = os.WriteFile(filepath.Join(dir, "out", "000001.json"), raw, 0o600)
		}, "it is that of block 0; remove"},
		"a receipt that is none":      {replace("out/000000.json", "{", "["), "the receipt cannot be used"},
		"a receipt without its parts": {remove("out/000000.part"), "000000.part is not there with its"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := planned(t, dir, 2, 2).Run(t.Context(), 0, double); err != nil {
				t.Fatal(err)
			}
			c.change(t, dir)
			p, err := blocks.Open(dir, self)
			if err == nil {
				_, err = p.Pool(t.Context(), 1, double)
			}
			if fault := (*blocks.Error)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %s", err, c.want)
			}
		})
	}
}

// A plan is there once it is saved, takes files along, and does not begin over the results of another.
func TestPlans(t *testing.T) {
	dir := t.TempDir()
	if _, err := blocks.Open(dir, self); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	p, err := blocks.New(dir, self, "part")
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(t.TempDir(), "shared")
	if err := os.WriteFile(shared, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Share(t.Context(), "model", shared); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(p.Path("model")); string(raw) != "abc" || err != nil || p.Shared["model"].Bytes != 3 {
		t.Errorf("%q, %v", raw, err)
	}
	if err := errors.Join(p.Add(1, nil), p.Save("job")); err != nil {
		t.Fatal(err)
	}
	late := errors.Join(p.Add(1, nil), p.Save("another"))
	if _, err := blocks.New(dir, self, "part"); !errors.Is(late, fs.ErrExist) || !errors.Is(err, fs.ErrExist) {
		t.Error(late, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
	read, err := blocks.Open(dir, self)
	var job string
	if err != nil || json.Unmarshal(read.Job, &job) != nil || job != "job" {
		t.Fatal(job, err)
	}
	if _, err := read.Run(t.Context(), 0, func(context.Context, *blocks.Running) error { return nil }); err != nil {
		t.Error(err)
	}
	_ = os.Remove(filepath.Join(dir, "plan.json"))
	if _, err := blocks.New(dir, self, "part"); err == nil || !strings.Contains(err.Error(), "results of a plan that is gone") {
		t.Error(err)
	}
}

// Several processes may do the same blocks at the same time: the same bytes come of it.
func TestSameBlocksAtOnce(t *testing.T) {
	dir := t.TempDir()
	p := planned(t, dir, 5, 5, 5)
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			own, err := blocks.Open(dir, self)
			if err == nil {
				_, err = own.Pool(t.Context(), 2, func(ctx context.Context, t *blocks.Running) error {
					time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
					return double(ctx, t)
				})
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	receipts, err := p.Receipts(t.Context(), 0, nil)
	var part bytes.Buffer
	if err == nil {
		err = p.Merge(t.Context(), receipts, map[string]io.Writer{"part": &part, "sizes": io.Discard})
	}
	if err != nil || part.String() != expected(15) {
		t.Errorf("%q, %v", part.String(), err)
	}
}

// What is no folder of blocks stays as it is.
func TestOtherFoldersAreRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"model.sipc", "out"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{dir: "it holds model.sipc and no plan of blocks", filepath.Join(dir, "out"): "a plan needs a folder"} {
		if _, err := blocks.New(path, self, "part"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// A folder in which another process has just begun is free: one folder of its plan is there, and the other is not yet.
func TestFoldersThatOthersBeginAreFree(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o755); err != nil { //nolint:gosec // as a plan makes it
		t.Fatal(err)
	}
	if _, err := blocks.New(dir, self, "part"); err != nil {
		t.Error(err)
	}
}
