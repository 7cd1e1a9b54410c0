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

	"github.com/sipc-ml/sipc/runtime/blocks"
	"github.com/sipc-ml/sipc/runtime/cache"
)

// damage changes a byte of each file of results.
func damage(t *testing.T, dir string) {
	t.Helper()
	for _, path := range files(t, dir) {
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

// What is kept comes back as it was, to the same program. What is damaged, or has another size or another name, does not, and sets nothing.
func TestFolder(t *testing.T) {
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
	path := files(t, dir)[0]
	if err := f.Keep(sha256.Sum256(nil), none()...); err != nil {
		t.Fatal(err)
	}
	for _, of := range files(t, dir) {
		if err := os.Rename(of, path); of != path && err != nil {
			t.Fatal(err)
		}
	}
	absent("by the name of another", f, none())
	if err := f.Keep(key, want...); err != nil {
		t.Fatal(err)
	}
	damage(t, dir)
	absent("damaged", f, none())
}

// A folder of anything else is refused, and left as it is.
func TestFolderOfOthers(t *testing.T) {
	dir := t.TempDir()
	for path, content := range map[string]string{"other/notes.txt": "mine", "newer/cache.json": "{\"schema\":\"sipc cache of embeddings\",\"version\":2}\n", "cut/cache.json": "{\"schema\"", "file": ""} {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{
		"other": "other: it holds notes.txt, and no cache.json, by which results of a run are known; name a new folder",
		"cut":   "cut/cache.json: it is damaged; copy the cache.json of another such folder to its place, as all are the same, or name another folder",
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
