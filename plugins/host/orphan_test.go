package host_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/plugins/host"
)

// guardName is what guards are called.
const guardName = "sipc: guard of a family"

// If sipc is killed outright, its families go with it, and so do their children, even those that nothing seems to link to them.
// No file is left, nor the guard that sees to it.
func TestNoOrphans(t *testing.T) {
	for _, fault := range []string{"", "children", "escaped", "hidden"} {
		t.Run("fault "+fault, func(t *testing.T) {
			s := newScene(t)
			owner := s.startOwner("sipc-family-faulty", fault)
			if n := len(s.processes()); n < 2 || fault != "" && len(s.children()) == 0 {
				t.Fatalf("%d processes run, and %d children; want the owner, the family, and its children", n, len(s.children()))
			}
			guards := s.guardsOf(owner)
			if err := owner.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = owner.Wait()
			s.eventually("processes outlive their owner", func() bool { return len(s.processes())+len(s.children()) == 0 })
			s.eventually("files outlive their owner", func() bool { left, err := os.ReadDir(s.tmp); return err == nil && len(left) == 0 })
			s.eventually("the guard outlives its owner", func() bool { return len(alive(guards)) == 0 })
		})
	}
}

// Where the guard was killed too, the kernel ends the family and its group, and the next launch sweeps what is left of its files.
func TestSweep(t *testing.T) {
	s := newScene(t)
	owner := s.startOwner("sipc-family-faulty", "children")
	for _, pid := range append(s.guardsOf(owner), owner.Process.Pid) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	_ = owner.Wait()
	s.eventually("processes outlive their owner", func() bool { return len(s.processes())+len(s.children()) == 0 })
	left, err := filepath.Glob(filepath.Join(s.tmp, "*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("the owner leaves %v, %v; want its private directory", left, err)
	}
	if program, _ := filepath.Glob(filepath.Join(left[0], "*", "sipc-*")); len(program) > 0 {
		t.Errorf("the owner leaves %v", program)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left[0], old, old); err != nil {
		t.Fatal(err)
	}
	_ = s.launch("sipc-family-mixup", s.options(host.Options{}, "")) // in the end nothing may be left
}

// startOwner has another process launch a family.
func (s *scene) startOwner(name, fault string) *exec.Cmd {
	s.t.Helper()
	owner := exec.CommandContext(s.t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), "SIPC_TEST_OWNER="+filepath.Join(programs, name), s.mark, "SIPC_TEST_MARK="+s.mark, "SIPC_TEST_DIR="+s.tmp, "SIPC_FAULT="+fault, "PIDS="+s.pids())
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

// guardsOf are the guards of an owner of one family, as soon as there is one: it starts while the family does.
func (s *scene) guardsOf(owner *exec.Cmd) (guards []int) {
	s.t.Helper()
	s.eventually("there is no guard", func() bool {
		guards = childrenOf(owner.Process.Pid, guardName)
		return len(guards) == 1
	})
	return guards
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

// childrenOf are the processes that a process started by this name.
func childrenOf(parent int, name string) []int {
	var out []int
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		line, err := os.ReadFile(path)
		stat, err2 := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
		if err != nil || err2 != nil || string(bytes.TrimRight(line, "\x00")) != name {
			continue
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}

// alive are those of some processes that have not ended.
func alive(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || bytes.Contains(stat, []byte(") Z "))
	})
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
