package whole_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/internal/whole"
)

// begun returns a file of a place, with a content that is not kept yet.
func begun(t *testing.T, path, content string) *whole.File {
	t.Helper()
	f, err := whole.New(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// Files appear together, with the permissions of those that they replace. Where there are no programs, they do so, too.
func TestFilesAppearTogether(t *testing.T) {
	testTogether(t)
	t.Setenv("PATH", t.TempDir())
	testTogether(t)
}

func testTogether(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := whole.Write(a, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	first, second := begun(t, a, "new"), begun(t, b, "new")
	for _, name := range []string{"gone/old", "stays/old", "stays/other"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	second.Replaces(filepath.Join(dir, "gone", "old"), filepath.Join(dir, "stays", "old"), filepath.Join(dir, "stays", "none"))
	if got := names(t, filepath.Join(dir, "gone")); len(got) != 1 {
		t.Errorf("%q before it is kept", got)
	}
	if raw, err := os.ReadFile(a); string(raw) != "old" || err != nil {
		t.Errorf("%q before it is kept, %v", raw, err)
	}
	if err := whole.Keep(first, second); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]fs.FileMode{a: 0o640, b: 0o600} {
		raw, err := os.ReadFile(path)
		if string(raw) != "new" || err != nil {
			t.Errorf("%s: %q, %v", path, raw, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if got := append(names(t, dir), names(t, filepath.Join(dir, "stays"))...); !slices.Equal(got, []string{"a", "b", "stays", "other"}) {
		t.Errorf("%q", got)
	}
}

// Where one cannot appear, none does.
func TestAFolderInAPlaceKeepsAllBack(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	first, second := begun(t, a, "new"), begun(t, b, "new")
	if err := os.Mkdir(b, 0o700); err != nil {
		t.Fatal(err)
	}
	err := whole.Keep(first, second)
	if at := (*fs.PathError)(nil); !errors.As(err, &at) || at.Path != b || at.Err.Error() != "a folder stands in its place" {
		t.Errorf("%v", err)
	}
	first.Discard()
	second.Discard()
	if got := names(t, dir); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%q", got)
	}
	if _, err := whole.New(os.DevNull, 0o600); err == nil || !strings.Contains(err.Error(), "a device stands in its place") {
		t.Errorf("a device would be replaced: %v", err)
	}
}

// A file that is being written stays, and what a killed process left goes. Files of other places stay, too.
func TestOnlyTheDeadAreSwept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, name := range []string{".a-0123456789abcdef.part", ".a-notes", ".b-0123456789abcdef.part"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first := begun(t, path, "first")
	second := begun(t, path, "second")
	if got := names(t, dir); len(got) != 4 || slices.Contains(got, ".a-0123456789abcdef.part") {
		t.Errorf("%q", got)
	}
	for _, f := range []*whole.File{first, second} {
		if err := whole.Keep(f); err != nil {
			t.Error(err)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{".a-notes", ".b-0123456789abcdef.part", "a"}) {
		t.Errorf("%q", got)
	}
}

// Files that others put into a folder at the same time are not mixed.
func TestSetsOfFilesAtOnce(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")}
	const writers = 4
	begin, done := make(chan bool), make(chan error, writers)
	for w := range writers {
		var files []*whole.File
		for _, path := range paths {
			files = append(files, begun(t, path, strconv.Itoa(w)))
		}
		go func() {
			<-begin
			done <- whole.Keep(files...)
		}()
	}
	close(begin)
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var got []string
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(raw))
	}
	if got[0] != got[1] || got[1] != got[2] {
		t.Errorf("the files are of the writers %q", got)
	}
}

// Any number of writers of one place sweep none of each other's files.
func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	const writers, times = 8, 50
	done := make(chan error, writers)
	for range writers {
		go func() {
			for range times {
				if err := whole.Write(path, []byte("content"), 0o600); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q", got)
	}
}
