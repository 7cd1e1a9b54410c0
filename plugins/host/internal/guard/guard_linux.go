package guard

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// argument is what a guard is called, in place of the program's name.
const argument = "sipc: guard of a family"

func init() { //nolint:gochecknoinits // this process is to be no program but a guard: main must not run
	if len(os.Args) == 1 && os.Args[0] == argument {
		_ = os.WriteFile("/proc/self/comm", []byte("sipc-guard"), 0) // for ps
		stand(os.Stdin)
		os.Exit(0) //nolint:forbidigo // see above
	}
}

// stand waits until the process at the other end of the pipe is gone, and cleans up after it.
func stand(pipe io.Reader) {
	r := bufio.NewReader(pipe)
	line, err := r.ReadString('\n')
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, r)
	dir := strings.TrimSuffix(line, "\n")
	Kill(dir)
	_ = os.RemoveAll(dir)
}

// A Guard cleans up after this process, if it is killed.
type Guard struct {
	process *exec.Cmd
	pipe    *os.File // its end is that of this process
}

// Start starts a guard over the family whose private directory is dir. It is nil where none can be started.
func Start(dir string) *Guard {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer func() { _ = theirs.Close() }()
	g := &Guard{pipe: ours, process: &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{argument}, Env: []string{"GOMAXPROCS=1"}, Dir: "/", Stdin: theirs,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // what is sent to this process's group does not reach it
	}}
	if g.process.Start() != nil {
		_ = ours.Close()
		return nil
	}
	if _, err := ours.WriteString(dir + "\n"); err != nil {
		g.End()
		return nil
	}
	return g
}

// End ends the guard: there is nothing left that it could clean up.
func (g *Guard) End() {
	if g == nil {
		return
	}
	_ = g.process.Process.Kill()
	_ = g.process.Wait() // it was killed
	_ = g.pipe.Close()
}
