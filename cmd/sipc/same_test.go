package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Same spec, data and seed: the same bytes, whatever the number of processors.
func TestSameBytesOnAnyNumberOfProcessors(t *testing.T) {
	for _, e := range committed {
		t.Run(e.name, func(t *testing.T) {
			dir := e.folder(t)
			var stdouts []outcome
			var folders []map[string][]byte
			for _, processors := range []string{"1", "2", "7"} {
				args := append([]string{"run", e.spec, e.data, "--json", "--seed", "3", "--out", processors}, e.smallest...)
				stdouts = append(stdouts, succeed(t, dir, []string{"GOMAXPROCS=" + processors}, args...))
				folders = append(folders, contents(t, filepath.Join(dir, processors)))
			}
			for k := range stdouts[1:] {
				sameFields(t, fields(t, stdouts[0].stdout, "timing"), fields(t, stdouts[k+1].stdout, "timing"))
				sameFiles(t, folders[0], folders[k+1])
			}
		})
	}
}

// Rows have the same scores and embeddings in pieces as all together.
func TestSameBytesInPieces(t *testing.T) {
	dir := committed[2].folder(t)
	const model, data = "out/model.sipc", "animals.csv"
	succeed(t, dir, nil, "run", committed[2].spec, data, "--out", "out")
	apply := func(name string) (predictions, embeddings []byte) {
		predictions = succeed(t, dir, nil, "predict", model, name).stdout
		succeed(t, dir, nil, "embed", model, name, "--out", "e.csv")
		embeddings, err := os.ReadFile(filepath.Join(dir, "e.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return predictions, embeddings
	}
	// numbers are the lines without their header and the number of their row.
	numbers := func(table []byte) (out [][]byte) {
		for _, line := range bytes.Split(bytes.TrimSpace(table), []byte("\n"))[1:] {
			_, rest, _ := bytes.Cut(line, []byte(","))
			out = append(out, rest)
		}
		return out
	}
	predictions, embeddings := apply(data)
	table, err := os.ReadFile(filepath.Join(dir, data))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(table), []byte("\n"))
	bounds := []int{1, 2, 9, 140, len(lines)} // the header lies before
	var scores, embedded [][]byte
	for k, to := range bounds[1:] {
		piece := bytes.Join(append([][]byte{lines[0]}, lines[bounds[k]:to]...), []byte("\n"))
		write(t, filepath.Join(dir, "piece.csv"), append(piece, '\n'))
		p, e := apply("piece.csv")
		scores, embedded = append(scores, numbers(p)...), append(embedded, numbers(e)...)
	}
	if !slices.EqualFunc(scores, numbers(predictions), bytes.Equal) {
		t.Error("scores of rows in pieces differ")
	}
	if !slices.EqualFunc(embedded, numbers(embeddings), bytes.Equal) {
		t.Error("embeddings of rows in pieces differ")
	}
}

// A family as a process gives the bytes that it gives in process. Only the spec, which says so, is another.
func TestProcessesGiveTheSameBytes(t *testing.T) {
	family := map[string]string{"two-digits": "transform", "mixup": "mixup", "topics": "hierarchy", "logic": "hierarchy"}
	for _, e := range committed {
		if family[e.name] == "" {
			continue
		}
		t.Run(e.name, func(t *testing.T) {
			dir := e.folder(t)
			run := func(out string) map[string][]byte {
				args := append([]string{"run", e.spec, e.data, "--json", "--seed", "3", "--out", out}, e.smallest...)
				succeed(t, dir, nil, args...)
				return contents(t, filepath.Join(dir, out))
			}
			within := run("within")
			process := "sipc-family-" + family[e.name]
			install(t, dir, process)
			succeed(t, dir, nil, "plugin", "add", process)
			spec, err := os.ReadFile(filepath.Join(dir, e.spec))
			if err != nil {
				t.Fatal(err)
			}
			spec = append(spec, "use "+family[e.name]+` from "./`+process+"\"\n"...) // last, so that warnings name the same lines
			if err := os.WriteFile(filepath.Join(dir, e.spec), spec, 0o600); err != nil {
				t.Fatal(err)
			}
			beside := run("beside")
			lock, err := os.ReadFile(filepath.Join(dir, "sipc.lock"))
			if err != nil || !bytes.Contains(lock, []byte(process)) {
				t.Fatalf("the process was not used: %s, %v", lock, err)
			}
			sameFiles(t, within, beside, "metrics.json", "model.sipc") // both hold the spec
			asProcess := fields(t, beside["metrics.json"], "spec_sha256")
			delete(asProcess, "families") // what processes are asked, if anything
			sameFields(t, fields(t, within["metrics.json"], "spec_sha256"), asProcess)
		})
	}
}
