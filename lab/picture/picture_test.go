package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sipc-ml/sipc/internal/pagetest"
)

func TestCommittedPictureIsWhatTheProgramMakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "turning.svg")
	if err := write(t.Context(), "../../examples/two-digits", file); err != nil {
		t.Fatal(err)
	}
	made, committed := read(t, file), read(t, "../../docs/turning.svg")
	if !bytes.Equal(made, committed) {
		t.Errorf("docs/turning.svg is not what the program makes (run go run ./lab/picture): %s", difference(made, committed))
	}
	wellFormed(t, committed)
}

func TestProvedCurveIsWhatTheProgramMakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "proved.svg")
	if err := writeProved(t.Context(), "../../docs/pictures.md", "../../examples/houses/houses.csv", file); err != nil {
		t.Fatal(err)
	}
	made, committed := read(t, file), read(t, "../../docs/proved.svg")
	pagetest.SamePicture(t, "what go run ./lab/picture makes of docs/proved.svg", string(made), string(committed))
	for _, label := range []string{">proved<", ">free<"} {
		if !bytes.Contains(committed, []byte(label)) {
			t.Errorf("the picture shows no curve %s", label)
		}
	}
	wellFormed(t, committed)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// difference is the first line that differs.
func difference(made, committed []byte) string {
	a, b := bytes.Split(made, []byte("\n")), bytes.Split(committed, []byte("\n"))
	for k := range min(len(a), len(b)) {
		if !bytes.Equal(a[k], b[k]) {
			return "made\n" + string(a[k]) + "\ncommitted\n" + string(b[k])
		}
	}
	return "one ends before the other"
}

func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the picture is not well-formed: %v", err)
		}
	}
}

func TestNoCurveAppearsWithoutThePage(t *testing.T) {
	page, file := filepath.Join(t.TempDir(), "page.md"), filepath.Join(t.TempDir(), "proved.svg")
	if err := os.WriteFile(page, []byte("no spec\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeProved(t.Context(), page, "../../examples/houses/houses.csv", file); err == nil {
		t.Error("a page without a spec was drawn")
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a picture appeared: %v", err)
	}
}

func TestNoPictureAppearsWithoutTheExample(t *testing.T) {
	file := filepath.Join(t.TempDir(), "turning.svg")
	if err := write(t.Context(), filepath.Join(t.TempDir(), "two-digits"), file); err == nil {
		t.Error("a folder without an example was drawn")
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a picture appeared: %v", err)
	}
}
