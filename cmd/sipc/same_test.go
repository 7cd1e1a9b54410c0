package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Same spec, data and seed: the same bytes, whatever the number of processors.
func TestSameBytesOnAnyNumberOfProcessors(t *testing.T) {
	for _, e := range committed {
		t.Run(e.name, func(t *testing.T) {
			dir := e.folder(t)
			var stdouts []outcome
			var folders []map[string][]byte
			for _, processors := range []string{"1", "2"} {
				args := append([]string{"run", e.spec, e.data, "--json", "--seed", "3", "--out", processors}, e.smallest...)
				stdouts = append(stdouts, succeed(t, dir, []string{"GOMAXPROCS=" + processors}, args...))
				folders = append(folders, contents(t, filepath.Join(dir, processors)))
			}
			sameFields(t, fields(t, stdouts[0].stdout, "timing"), fields(t, stdouts[1].stdout, "timing"))
			sameFiles(t, folders[0], folders[1])
		})
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
