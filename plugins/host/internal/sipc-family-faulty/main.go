// Command sipc-family-faulty is a family that fails as SIPC_FAULT says, or its own name (faulty=kill-in-expand), for the tests of package host.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/sdk"
)

func main() {
	if os.Getenv("SIPC_HOLD") != "" {
		hold()
	}
	fault := os.Getenv("SIPC_FAULT")
	if _, name, ok := strings.Cut(filepath.Base(os.Args[0]), "faulty="); ok {
		fault = strings.ReplaceAll(name, "-", " ") // where the environment cannot say it
		timed = true
	}
	now()
	if rest, ok := strings.CutSuffix(fault, " then mute"); ok {
		if fault = rest; !firstLife() {
			time.Sleep(time.Hour)
		}
	}
	if rest, ok := strings.CutPrefix(fault, "children then "); ok {
		fault = rest
		spawn(100)
	}
	misgreet(fault)
	if fault == "children" {
		spawn(100)
	}
	sdk.Serve(&family{fault: fault})
}

// misgreet fails before it serves, if the fault says so.
func misgreet(fault string) {
	switch fault {
	case "garbage":
		fmt.Println("Welcome to my plugin!")
		select {}
	case "binary":
		_, _ = os.Stdout.Write(make([]byte, 1<<16))
		time.Sleep(time.Hour)
	case "flood":
		line := strings.Repeat("flood ", 1000)
		for {
			fmt.Println(line)
		}
	case "mute":
		time.Sleep(time.Hour)
	case "exit":
		fmt.Fprintln(os.Stderr, "the licence has expired")
		os.Exit(7)
	case "leave":
		os.Exit(0)
	case "version":
		greet("1|99|unix|%s|grpc|")
	case "core":
		greet("9|1|unix|%s|grpc|")
	case "elsewhere":
		fmt.Println("1|1|unix|/tmp/elsewhere|grpc|")
		time.Sleep(time.Hour)
	case "impostor", "uncertified":
		pretend(fault == "impostor")
	case "plaintext":
		greet("1|1|unix|%s|grpc|")
	case "stopped at start":
		greetStopped()
	}
}

// timed tells whether the log is to say when a fault happens.
var timed bool

// now says that the fault happens now.
func now() {
	if timed {
		fmt.Fprintf(os.Stderr, "fault at %d\n", time.Now().UnixNano())
	}
}

// greet listens, greets and answers nothing.
func greet(format string) {
	path := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s")
	if _, err := new(net.ListenConfig).Listen(context.Background(), "unix", path); err != nil {
		panic(err)
	}
	fmt.Printf(format+"\n", path)
	time.Sleep(time.Hour)
}

// greetStopped greets and stops before anyone can connect.
func greetStopped() {
	path := filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s")
	if _, err := new(net.ListenConfig).Listen(context.Background(), "unix", path); err != nil {
		panic(err)
	}
	fmt.Printf("1|1|unix|%s|grpc|\n", path)
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	time.Sleep(time.Hour)
}

// spawn starts children that outlive their parent; the file PIDS tells the test which.
func spawn(n int) {
	for range n {
		start(exec.CommandContext(context.Background(), "sleep", "1000"))
	}
}

func start(cmd *exec.Cmd) {
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	if os.Getenv("PIDS") == "" {
		return
	}
	f, err := os.OpenFile(os.Getenv("PIDS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString(strconv.Itoa(cmd.Process.Pid) + "\n"); err != nil {
		panic(err)
	}
}

type family struct{ fault string }

// Describe describes a domain and a map.
func (f *family) Describe(context.Context) (*plugins.Schema, error) {
	if f.fault == "schema" {
		return &plugins.Schema{Name: "no word"}, nil
	}
	if f.fault == "describe" {
		return nil, errors.New("no description today")
	}
	if f.fault == "steer" {
		return &plugins.Schema{Name: "faulty", Version: "1.0.0\x1b[2J"}, nil
	}
	version, domain := "0.0.1", "all"
	switch f.fault {
	case "dated":
		version = fmt.Sprintf("1.0.%d", time.Now().UnixNano())
	case "taken":
		domain = "rms"
	}
	whole := plugins.Needs{Columns: plugins.AllColumns, Labels: plugins.RowLabels}
	return &plugins.Schema{
		Name: "faulty", Version: version,
		Domains: []plugins.DomainSchema{{Name: domain, Binds: []plugins.Bind{{Name: "x", Kind: plugins.BindPoint}}, Needs: whole}},
		Maps:    []plugins.MapSchema{{Name: "same", Needs: whole}},
	}, nil
}

// Open takes the data.
func (f *family) Open(_ context.Context, data *plugins.Data) (plugins.Session, error) {
	f.strike("open")
	if f.fault == "no session" {
		return nil, nil
	}
	return &session{family: f, data: data}, nil
}

// strike does what the fault says if it names this place.
func (f *family) strike(place string) {
	what, ok := strings.CutSuffix(f.fault, " in "+place)
	if !ok {
		return
	}
	if rest, once := strings.CutPrefix(what, "once "); once {
		if !firstLife() {
			return
		}
		time.Sleep(200 * time.Millisecond) // what is on its way arrives
		what = rest
	}
	do(what)
}

// do does what a fault says.
func do(what string) {
	now()
	switch what {
	case "panic":
		panic("all is lost")
	case "exit":
		os.Exit(3)
	case "kill", "waver":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour) // the signal takes its time
	case "stop":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		time.Sleep(time.Hour)
	case "sleep":
		time.Sleep(time.Hour)
	case "flood":
		stdout := os.NewFile(1, "stdout") // os.Stdout is another by now
		for {
			_, _ = stdout.Write(make([]byte, 1<<16))
		}
	case "spin":
		for i := 0; ; i++ {
			if i < 0 {
				panic("overflow")
			}
		}
	case "print":
		fmt.Println("a word on standard output")
		fmt.Fprintln(os.Stderr, "a word on standard error")
	case "hog", "brood", "family":
		eat(what)
	case "slow":
		for start := time.Now(); time.Since(start) < time.Second; {
			_ = math.Sqrt(2)
		}
	}
}

// firstLife tells whether this process is not one that was started again: what the first one leaves, the second one removes.
var firstLife = sync.OnceValue(func() bool {
	mark := filepath.Join(filepath.Dir(filepath.Dir(os.Getenv("TMPDIR"))), "once-"+strconv.Itoa(os.Getppid()))
	if os.Remove(mark) == nil {
		return false
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		panic(err)
	}
	return true
})

// must ends the process where something fails that should not.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

type session struct {
	family *family
	data   *plugins.Data
}

// Expand yields every row, one per chunk.
func (s *session) Expand(ctx context.Context, _ *plugins.DomainCall, yield func(*plugins.Chunk) error) error {
	for i := 0; i < max(2, s.data.N()) || s.family.fault == "endless blocks"; i++ {
		if i == 1 {
			s.family.strike("expand")
		}
		b := &plugins.Block{}
		b.Term(1, int32(i%max(1, s.data.N())), plugins.Evaluation, plugins.NoLabel)
		b.End()
		s.spoil(b)
		if s.family.fault == "no chunk" {
			return yield(nil)
		}
		if err := yield(&plugins.Chunk{Count: 1, Points: []*plugins.Block{b}}); err != nil {
			return err
		}
		for s.family.fault == "empty" {
			none := &plugins.Chunk{Points: []*plugins.Block{{}}}
			if err := yield(none); err != nil {
				return err
			}
		}
		if s.family.fault == "endless" {
			for ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
		}
	}
	if s.family.fault == "bad argument" {
		return errors.New("all: give a better one")
	}
	if s.family.fault == "escape" {
		return errors.New("all: \x1b[2Jnothing is wrong\u009b2J")
	}
	return nil
}

// spoil makes a block that breaks the contract.
func (s *session) spoil(b *plugins.Block) {
	switch s.family.fault {
	case "NaN":
		now()
		b.Coef[0] = math.NaN()
	case "overflow":
		now()
		b.Coef[0] = 1e300
	case "once waver in expand", "waver": // each process answers otherwise
		b.Coef[0] = float64(os.Getpid())
	case "index":
		b.Point[0] = 1 << 20
	case "shape":
		now()
		b.Points = plugins.Matrix{Rows: 1, Cols: s.data.Rows.Cols + 1, Data: make([]float64, s.data.Rows.Cols+1)}
	case "count":
		now()
		b.End()
	case "huge": // a block of 1 GiB
		now()
		rows := 1 << 27 / s.data.Rows.Cols
		b.Points = plugins.Matrix{Rows: rows, Cols: s.data.Rows.Cols, Data: make([]float64, rows*s.data.Rows.Cols)}
	case "labels": // 80 MiB of empty labels, which would be 1 GiB here
		now()
		b.Labels = make([]plugins.Label, 20<<20)
	case "endless blocks":
		b.Points = plugins.Matrix{Rows: 1 << 18, Cols: s.data.Rows.Cols, Data: make([]float64, s.data.Rows.Cols<<18)}
	}
}

// Map answers what it is asked.
func (s *session) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	s.family.strike("map")
	if s.family.fault == "fewer" {
		return &plugins.Block{}, nil
	}
	if s.family.fault == "no block" {
		return nil, nil
	}
	return call.At, nil
}

// Close closes.
func (s *session) Close() error {
	s.family.strike("close")
	return nil
}
