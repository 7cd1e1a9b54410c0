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

// If sipc is killed outright, its family goes with it and whatever that started, and the next launch sweeps what is left of its files.
func TestNoOrphans(t *testing.T) {
	s := newScene(t)
	owner := s.startOwner("sipc-family-faulty")
	if n := len(s.processes()); n < 3 {
		t.Fatalf("%d processes run; want the owner, the family and its children", n)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	s.eventually("processes outlive their owner", func() bool { return len(s.processes()) == 0 })
	left, err := filepath.Glob(filepath.Join(s.tmp, "*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("the owner leaves %v, %v; want its private directory", left, err)
	}
	if program, _ := filepath.Glob(filepath.Join(left[0], "*", "sipc-*")); len(program) > 0 {
		t.Errorf("the owner leaves %v", program)
	}
	_ = s.launch("sipc-family-mixup", s.options(host.Options{}, "")) // in the end nothing may be left
}

// startOwner has another process launch a family.
func (s *scene) startOwner(name string) *exec.Cmd {
	s.t.Helper()
	owner := exec.CommandContext(s.t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), "SIPC_TEST_OWNER="+filepath.Join(programs, name), s.mark, "SIPC_TEST_MARK="+s.mark, "SIPC_TEST_DIR="+s.tmp, "SIPC_FAULT=children", "PIDS="+s.pids())
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
	return owner
}

// eventually fails the test unless a condition comes true in time.
func (s *scene) eventually(otherwise string, holds func() bool) {
	s.t.Helper()
	for start := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > deadline {
			s.t.Fatal(otherwise)
		}
	}
}

// A directory that is in use is not swept.
func TestSweepSparesTheLiving(t *testing.T) {
	s := newScene(t)
	_ = s.launch("sipc-family-mixup", s.options(host.Options{}, ""))
	dirs, err := filepath.Glob(filepath.Join(s.tmp, "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	_ = s.launch("sipc-family-mixup", s.options(host.Options{}, ""))
	if _, err := os.Stat(dirs[0]); err != nil {
		t.Errorf("a directory in use is swept: %v", err)
	}
}
