package guard_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sipc-ml/sipc/plugins/host/internal/guard"
)

// A guard that is ended does nothing.
func TestEnd(t *testing.T) {
	dir := t.TempDir()
	g := guard.Start(dir)
	if g == nil {
		t.Fatal("no guard is started")
	}
	g.End()
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	(*guard.Guard)(nil).End() // where none could be started
}

// What bears the mark of a directory is killed, and so is what names it in its environment; what does neither, or bears another's
// mark, is not.
func TestKill(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	marked, named := sleep(t, nil), sleep(t, []string{"TMPDIR=" + filepath.Join(dir, "tmp")})
	stranger, bystander := sleep(t, nil), sleep(t, []string{"TMPDIR=" + dir + "2/tmp"})
	for cmd, mark := range map[*exec.Cmd]uint64{marked: guard.Mark(dir), stranger: guard.Mark(other)} {
		if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: mark, Max: mark}, nil); err != nil {
			t.Skip(err) // the limit is lower here already
		}
	}
	start := time.Now()
	guard.Kill(dir) // waits for their ends, not for their parent to look
	if took := time.Since(start); took > time.Second {
		t.Errorf("it takes %v", took)
	}
	for name, cmd := range map[string]*exec.Cmd{"marked": marked, "named": named} {
		if err := cmd.Wait(); err == nil || err.Error() != "signal: killed" {
			t.Errorf("the process that is %s ends with %v", name, err)
		}
	}
	for name, cmd := range map[string]*exec.Cmd{"another's": stranger, "a bystander": bystander} {
		if err := cmd.Process.Signal(unix.Signal(0)); err != nil {
			t.Errorf("the process that is %s: %v", name, err)
		}
	}
}

// sleep is a process that the test ends with.
func sleep(t *testing.T, env []string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sleep", "1000")
	cmd.Env = append([]string{"A=B"}, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}
