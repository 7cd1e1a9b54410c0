package cache_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/blocks"
	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/polar"
)

func results(rng *rand.Rand, rows int, multipliers bool) *polar.Result {
	out := empty(rows, multipliers)
	for i := range rows {
		out.Gap[i], out.Norm2[i], out.Value[i], out.Work[i] = rng.Float64(), rng.Float64(), rng.Float64(), 1e12*rng.Float64()
		out.Iterations[i], out.Newton[i], out.Status[i] = rng.IntN(2000), rng.IntN(9), polar.Status(rng.IntN(8))
		for j := range 5 {
			out.Iota.Set(i, j, rng.NormFloat64())
		}
		for j := range 7 {
			if multipliers {
				out.Multipliers.Set(i, j, rng.NormFloat64())
			}
		}
	}
	return out
}

func empty(rows int, multipliers bool) *polar.Result {
	out := &polar.Result{
		Iota: mat.NewDense(rows, 5, nil), Gap: make([]float64, rows), Norm2: make([]float64, rows), Value: make([]float64, rows),
		Iterations: make([]int, rows), Newton: make([]int, rows), Work: make([]float64, rows), Status: make([]polar.Status, rows),
	}
	if multipliers {
		out.Multipliers = mat.NewDense(rows, 7, nil)
	}
	return out
}

// What is kept comes back as it was, and what is damaged does not.
func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work")
	rng := rand.New(rand.NewPCG(3, 4))
	for _, multipliers := range []bool{false, true} {
		want, key := results(rng, 3, multipliers), sha256.Sum256([]byte{byte(rng.Uint32())})
		f, err := cache.Open(dir, "this")
		if err != nil {
			t.Fatal(err)
		}
		got := empty(3, multipliers)
		if ok, err := f.Load(key, got); ok || err != nil {
			t.Fatalf("before it is kept: %v, %v", ok, err)
		}
		if err := f.Save(key, want); err != nil {
			t.Fatal(err)
		}
		if ok, err := f.Load(key, got); !ok || err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, %v: %+v, want %+v", ok, err, got, want)
		}
		if ok, err := f.Load(key, empty(2, multipliers)); ok || err != nil {
			t.Errorf("other sizes: %v, %v", ok, err)
		}
		other := key
		other[31] ^= 1
		name := func(key [sha256.Size]byte) string { return filepath.Join(dir, fmt.Sprintf("%x/%x.rows", key[:1], key)) }
		if err := os.Rename(name(key), name(other)); err != nil {
			t.Fatal(err)
		}
		if ok, err := f.Load(other, got); ok || err != nil {
			t.Errorf("by the name of another: %v, %v", ok, err)
		}
		if err := os.Rename(name(other), name(key)); err != nil {
			t.Fatal(err)
		}
		damage(t, dir, "rows")
		if ok, err := f.Load(key, got); ok || err != nil {
			t.Errorf("damaged: %v, %v", ok, err)
		}
	}
}

// damage changes a byte of each file with an ending.
func damage(t *testing.T, dir, ending string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*."+ending))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%q, %v", paths, err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		raw[11] ^= 4
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The numbers of a pass come back as they were, to the same program. What is damaged, or has another size, does not, and sets nothing.
func TestPasses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work")
	f, err := cache.Open(dir, "this")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	want, key := [][]float64{{2}, make([]float64, 9000), nil}, sha256.Sum256([]byte("pass"))
	for i := range want[1] {
		want[1][i] = rng.NormFloat64()
	}
	none := func() [][]float64 { return [][]float64{{0}, make([]float64, 9000), nil} }
	absent := func(what string, f *cache.Folder, to [][]float64) {
		t.Helper()
		before := fmt.Sprint(to)
		if ok, err := f.Restore(key, to...); ok || err != nil || fmt.Sprint(to) != before {
			t.Errorf("%s: %v, %v", what, ok, err)
		}
	}
	absent("before it is kept", f, none())
	for range 2 {
		if err := f.Keep(key, want...); err != nil {
			t.Fatal(err)
		}
	}
	got := none()
	if ok, err := f.Restore(key, got...); !ok || err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, %v", ok, err)
	}
	absent("of another size", f, [][]float64{{0}, make([]float64, 8999), nil})
	other, err := cache.Open(dir, "other")
	if err != nil {
		t.Fatal(err)
	}
	absent("of another program", other, none())
	damage(t, dir, "sums")
	absent("damaged", f, none())
}

// A folder of anything else is refused, and left as it is.
func TestFolderOfOthers(t *testing.T) {
	dir := t.TempDir()
	for path, content := range map[string]string{"other/notes.txt": "mine", "newer/cache.json": "{\"version\":2}\n", "file": ""} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{
		"other": "other: it holds notes.txt, and no cache.json, by which embeddings of a run are known; name a new folder",
		"newer": "newer/cache.json: it is of another version; name another folder, or remove this one",
		"file":  "file: it is no folder; name a new one",
	} {
		_, err := cache.Open(filepath.Join(dir, folder), "this")
		var wrong *blocks.Error
		if !errors.As(err, &wrong) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", folder, err, want)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "other")); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
