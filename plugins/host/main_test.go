package host_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/plugins/host"
)

// atOnce is how many tests run at the same time for each processor: most of the time they wait for a family to be given up.
const atOnce = 2

// programs is where the programs are that the tests run.
var programs string

func TestMain(m *testing.M) {
	if program := os.Getenv("SIPC_TEST_OWNER"); program != "" {
		os.Exit(own(program))
	}
	if name := os.Getenv("SIPC_TEST_PINNER"); name != "" {
		os.Exit(pinMany(os.Getenv("SIPC_TEST_LOCK"), name))
	}
	if err := os.Setenv("SIPC_SECRET", "password"); err != nil { // which no process may see
		panic(err)
	}
	os.Exit(run(m))
}

// own launches a program, says so, and waits to be killed.
func own(program string) int {
	env := []string{os.Getenv("SIPC_TEST_MARK"), "SIPC_FAULT=" + os.Getenv("SIPC_FAULT"), "PIDS=" + os.Getenv("PIDS")}
	p, err := host.Launch(context.Background(), program, host.Options{Dir: os.Getenv("SIPC_TEST_DIR"), Env: env})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(p.PID())
	select {}
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "programs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	programs = dir
	if err := os.Setenv("SIPC_TEST_PROGRAMS", dir); err != nil { // for tests within the package
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	build := exec.CommandContext(context.Background(), "go", "build", "-ldflags=-s -w", "-o", dir+string(filepath.Separator),
		"./internal/sipc-family-faulty", "../mixup/sipc-family-mixup", "../hierarchy/sipc-family-hierarchy", "../transform/sipc-family-transform")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s\n", err, out)
		return 1
	}
	if err := flag.Set("test.parallel", strconv.Itoa(atOnce*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run() // which reads the flags that go test was given, and so heeds another -parallel
}

// short are options under which a hanging process is given up soon.
func short() host.Options {
	return host.Options{Silence: 600 * time.Millisecond, Start: 10 * time.Second}
}

// A scene is where a test starts processes: with a directory for temporary files of its own, and a mark on all of its
// processes. In the end neither a file nor a process may be left.
type scene struct {
	t    testing.TB
	tmp  string
	mark string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	tmp, err := os.MkdirTemp("/tmp", "s") //nolint:usetesting // paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	s := &scene{t: t, tmp: tmp, mark: "SIPC_TEST_SCENE=" + tmp}
	t.Cleanup(func() {
		s.nothingLeft()
		_ = os.RemoveAll(tmp)
	})
	return s
}

// options adds the scene's mark and a fault.
func (s *scene) options(o host.Options, fault string) host.Options {
	o.Dir = s.tmp
	o.Env = append(o.Env, s.mark, "SIPC_FAULT="+fault, "PIDS="+s.pids())
	return o
}

// pids is the file in which a faulty family lists its children.
func (s *scene) pids() string { return filepath.Join(programs, filepath.Base(s.tmp)+".pids") }

// once is the file by which the second life of a faulty family knows that it is not the first.
func (s *scene) once() string { return filepath.Join(s.tmp, "once-"+strconv.Itoa(os.Getpid())) }

func (s *scene) nothingLeft() {
	s.t.Helper()
	if entries, err := os.ReadDir(s.tmp); err != nil || len(entries) > 0 {
		s.t.Errorf("files are left: %v, %v", entries, err)
	}
	// A process that was killed ends when it is next due to run, which takes time on a busy machine.
	for range 100 {
		if len(s.processes()) == 0 && len(s.children()) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Errorf("processes %v are left, and children %v of processes", s.processes(), s.children())
}

// children are those of faulty families that run.
func (s *scene) children() []int {
	s.t.Helper()
	var out []int
	raw, _ := os.ReadFile(s.pids())
	for line := range bytes.Lines(raw) {
		pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
		if err != nil {
			s.t.Fatal(err)
		}
		if isSleep(pid) {
			out = append(out, pid)
		}
	}
	return out
}

// processes are those that carry the scene's mark.
func (s *scene) processes() []int {
	var out []int
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		env, err := os.ReadFile(path)
		if pid, e := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && e == nil && bytes.Contains(env, []byte(s.mark)) {
			out = append(out, pid)
		}
	}
	return out
}

func isSleep(pid int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil || string(name) != "sleep\n" {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.Contains(stat, []byte(") Z ")) // killed, and about to be reaped
}

// launch starts a program that is in order.
func (s *scene) launch(name string, o host.Options) *host.Process {
	s.t.Helper()
	p, err := host.Launch(context.Background(), filepath.Join(programs, name), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return p
}
