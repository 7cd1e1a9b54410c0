package model

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever is changed, lost or added in a model file, it is refused by its name.
func TestDamagedModelsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.sipc")
	sound, err := readRefitted(samples()[0][0], samples()[0][1])
	if err != nil {
		t.Fatal(err)
	}
	file := fileOf(t, sound)
	damaged := map[string][]byte{
		"empty": nil, "more": append(slices.Clone(file), 0), "twice": append(slices.Clone(file), file...),
		"other line ends": bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n")),
	}
	const places = 250
	for k := range places {
		at := k * len(file) / places
		changed := slices.Clone(file)
		changed[at] ^= 1 << (k % 8)
		damaged[fmt.Sprintf("changed at %d", at)] = changed
		damaged[fmt.Sprintf("cut at %d", at)] = file[:at]
		damaged[fmt.Sprintf("without %d", at)] = slices.Concat(file[:at], file[at+1:])
	}
	for name, content := range damaged {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), path); err == nil || !strings.HasPrefix(err.Error(), path+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
