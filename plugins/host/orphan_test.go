package host_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/plugins/host"
)

// If sipc is killed outright, its families go with it, and the next launch sweeps what is left of their files.
func TestNoOrphans(t *testing.T) {
	s := newScene(t)
	s.killOwner("sipc-family-mixup", "", 2)
	left, err := filepath.Glob(filepath.Join(s.tmp, "*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("the owner leaves %v, %v; want its private directory", left, err)
	}
	if program, _ := filepath.Glob(filepath.Join(left[0], "sipc-*")); len(program) > 0 {
		t.Errorf("the owner leaves %v", program)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left[0], old, old); err != nil {
		t.Fatal(err)
	}
	_ = s.launch("sipc-family-mixup", s.options(host.Options{}, "")) // in the end nothing may be left
}

// Nor do the children of a family that cannot clean up any more.
func TestNoOrphansOfFamilies(t *testing.T) {
	s := newScene(t)
	s.killOwner("sipc-family-faulty", "children", 102)
	if err := os.RemoveAll(s.tmp); err != nil { // the owner's private directory
		t.Fatal(err)
	}
	if err := os.Mkdir(s.tmp, 0o700); err != nil {
		t.Fatal(err)
	}
}

// killOwner has another process launch a family, kills that process outright, and waits until all that it started is gone.
func (s *scene) killOwner(name, fault string, processes int) {
	s.t.Helper()
	owner := exec.CommandContext(s.t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), "SIPC_TEST_OWNER="+filepath.Join(programs, name), s.mark, "SIPC_TEST_MARK="+s.mark, "SIPC_TEST_DIR="+s.tmp, "SIPC_FAULT="+fault)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		s.t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		s.t.Fatal(err)
	}
	if n := len(s.processes()); n != processes {
		s.t.Fatalf("%d processes run, want %d: the owner, the family, and its children", n, processes)
	}
	if err := owner.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	_ = owner.Wait()
	for start := time.Now(); len(s.processes()) > 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > deadline {
			s.t.Fatalf("processes %v outlive their owner", s.processes())
		}
	}
}

// A directory that is in use is not swept, however old.
func TestSweepSparesTheLiving(t *testing.T) {
	s := newScene(t)
	_ = s.launch("sipc-family-mixup", s.options(host.Options{}, ""))
	dirs, err := filepath.Glob(filepath.Join(s.tmp, "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dirs[0], old, old); err != nil {
		t.Fatal(err)
	}
	_ = s.launch("sipc-family-mixup", s.options(host.Options{}, ""))
	if _, err := os.Stat(dirs[0]); err != nil {
		t.Errorf("a directory in use is swept: %v", err)
	}
}
