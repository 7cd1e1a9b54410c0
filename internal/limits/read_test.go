package limits

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	small := filepath.Join(dir, "small")
	if err := os.WriteFile(small, []byte("twelve bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(small, 12); err != nil || string(got) != "twelve bytes" {
		t.Errorf("%q, %v", got, err)
	}
	for path, want := range map[string]string{
		small:                           "at most 1 MiB are read",
		dir:                             "it is a folder",
		os.DevNull:                      "it is a device",
		filepath.Join(dir, "not there"): "no such file",
	} {
		if _, err := Read(path, 11); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
