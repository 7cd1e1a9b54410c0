package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/host"
)

// deadline is when a fault counts as a hang, on a machine under load too.
const deadline = 30 * time.Second

// Programs that do not even start to serve.
func TestFaultsAtStart(t *testing.T) {
	tests := []struct{ fault, want string }{
		{"garbage", `its first line on standard output is "Welcome to my plugin!"`},
		{"binary", "its first line on standard output is"},
		{"flood", "its first line on standard output is"},
		{"mute", "it hangs"},
		{"exit", "exit status 7; its last words:\n    the licence has expired"},
		{"leave", "it ended by itself before it greeted: does its main program call sdk.Serve (in Python, serve)?"},
		{"version", "it speaks version 99 of the contract, and this sipc version 1: update sipc"},
		{"core", "core"},
		{"elsewhere", `not the one it was given`},
		{"plaintext", "it hangs"},
		{"impostor", "it answers with another certificate than that of its greeting"},
		{"uncertified", "it answers with another certificate than that of its greeting"},
		{"stopped at start", "it hangs"},
		{"schema", `"no word" is not a name for a family`},
		{"steer", `its schema holds control characters in the text "1.0.0`},
		{"describe", "no description today"},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			s := newScene(t)
			start := time.Now()
			p, err := host.Launch(t.Context(), filepath.Join(programs, "sipc-family-faulty"), s.options(short(), tt.fault))
			if err == nil {
				_ = p.Close()
			}
			mustFail(t, err, tt.want, start)
		})
	}
}

// mustFail asserts one clear error in time.
func mustFail(t *testing.T, err error, want string, start time.Time) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", want)
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
	if took := time.Since(start); took > deadline {
		t.Errorf("the error takes %v", took)
	}
	if !strings.Contains(err.Error(), "sipc-family-faulty") && !strings.Contains(want, "no description") {
		t.Errorf("error %q does not name the family", err)
	}
}

// Processes that fail later, each in the middle of a call; afterwards they are not called again.
func TestFaultsInCalls(t *testing.T) {
	const crash = "its last words:\n    panic: all is lost\n    in main."
	tests := []struct{ fault, want string }{
		{"panic in open", crash},
		{"panic in expand", crash},
		{"panic in map", crash},
		{"flood in expand", "it floods its standard output"},
		{"children then exit in map", "failed in same: its process ended: exit status 3"},
		{"exit in expand", "failed in all: its process ended: exit status 3"},
		{"kill in expand", "its process ended: signal: killed"},
		{"stop in open", "it hangs"},
		{"stop in expand", "it hangs"},
		{"sleep in open", "it hangs"},
		{"sleep in expand", "failed in all: it hangs: for 600ms it neither answered nor used its processor"},
		{"sleep in map", "failed in same: it hangs"},
		{"spin in expand", "it did not answer within 1.5s"},
		{"NaN", "block: coefficient 0 is NaN"},
		{"overflow", "block: coefficient 0 is 1e+300, in functional 0; numbers beyond 1e+100 overflow"},
		{"empty", "it sends 1001 chunks in a row without an element"},
		{"index", "block: term 0 names point 1048576"},
		{"shape", "are not rows of 3 features"},
		{"count", "chunk has 2 functionals among its points, want 1"},
		{"huge", "it answers with more than 256 MiB in one chunk: let it yield more and smaller ones"},
		{"labels", "it answers with more than 256 MiB in one chunk"},
		{"endless blocks", "it answers with more than 64 MiB, the most that one call may bring"},
		{"hog in expand", "it asked for more memory than the 256 MiB that it may have"},
		{"brood in expand", "processes, more than the 256 MiB that they may hold together"},
		{"fewer", "it answers 4 functionals with 0"},
		{"no block", "it reports: same answers with a block that is nil"},
		{"no chunk", "it reports: the family yields a chunk that is nil"},
		{"no session", "it reports: the family opens a session that is nil"},
	}
	for _, tt := range tests {
		t.Run(tt.fault, func(t *testing.T) {
			s := newScene(t)
			o := s.options(short(), tt.fault)
			o.Memory = 256 << 20
			switch tt.fault {
			case "endless blocks":
				o.Memory = 1 << 30
				o.MaxAnswer = 64 << 20
			case "huge", "labels":
				o.Memory = 4 << 30
			}
			if !strings.Contains(tt.want, "it hangs") {
				o.Silence = 20 * time.Second // a busy machine may be silent for long
			}
			if strings.HasPrefix(tt.fault, "spin") {
				o.Answer = 1500 * time.Millisecond
			}
			p := s.launch("sipc-family-faulty", o)
			start := time.Now()
			err := useAll(t.Context(), p)
			mustFail(t, err, tt.want, start)
			if failure := new(host.Error); !errors.As(err, &failure) {
				t.Errorf("%T is not a *host.Error", err)
			}
			s.eventually("processes are left though the family failed", func() bool { return len(s.processes()) == 0 })
			if again := useAll(t.Context(), p); again == nil || again.Error() != err.Error() {
				t.Errorf("called again, it says %v, not %v", again, err)
			}
		})
	}
}

// Of a process that hangs the error says what its user and its author can do; of others it does not.
func TestAdvice(t *testing.T) {
	s := newScene(t)
	launch := func(fault string) error {
		_, err := host.Launch(t.Context(), filepath.Join(programs, "sipc-family-faulty"), s.options(short(), fault))
		return err
	}
	for _, c := range []struct {
		err    error
		advice []string
	}{
		{launch("mute"), []string{"SIPC_PLUGIN_LOG", "call sdk.Serve (in Python, serve) at once"}},
		{launch("leave"), nil},
		{useAll(t.Context(), s.launch("sipc-family-faulty", s.options(short(), "sleep in expand"))), []string{"killed", "SIPC_PLUGIN_LOG", "yield chunks as they are ready", "call.check()"}},
		{useAll(t.Context(), s.launch("sipc-family-faulty", s.options(short(), "NaN"))), nil},
	} {
		var failure *host.Error
		if !errors.As(c.err, &failure) {
			t.Fatalf("error %v", c.err)
		}
		if len(c.advice) == 0 && failure.Advice() != "" {
			t.Errorf("%v: advice %q", c.err, failure.Advice())
		}
		for _, want := range c.advice {
			if !strings.Contains(failure.Advice(), want) || !strings.Contains(failure.Mend(), want) {
				t.Errorf("%v: advice %q lacks %q", c.err, failure.Advice(), want)
			}
		}
	}
}

// useAll calls everything that a family has.
func useAll(ctx context.Context, f plugins.Family) error {
	data := familytest.Table(4, 3, 0, 1)
	session, err := f.Open(ctx, data)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	if err := session.Expand(ctx, &plugins.DomainCall{Name: "all"}, func(*plugins.Chunk) error { return nil }); err != nil {
		return err
	}
	_, err = session.Map(ctx, &plugins.MapCall{Name: "same", At: familytest.Evaluations(data)})
	return err
}

// What a family reports by itself is shown as it stands, and does not end it.
func TestFamilyErrorsAreNoFaults(t *testing.T) {
	s := newScene(t)
	p := s.launch("sipc-family-faulty", s.options(short(), "bad argument"))
	for range 2 {
		if err := useAll(t.Context(), p); err == nil || err.Error() != "all: give a better one" {
			t.Errorf("error %v, want the family's own", err)
		}
	}
}

// What a family says does not steer the terminal.
func TestFamilyErrorsArePrintable(t *testing.T) {
	s := newScene(t)
	p := s.launch("sipc-family-faulty", s.options(short(), "escape"))
	if err := useAll(t.Context(), p); err == nil || err.Error() != "all: \uFFFD[2Jnothing is wrong\uFFFD2J" {
		t.Errorf("error %q", err)
	}
}

// A session that does not end is the family's fault, which the error names.
func TestHangingInClose(t *testing.T) {
	for _, fault := range []string{"sleep in close", "spin in close"} {
		t.Run(fault, func(t *testing.T) {
			s := newScene(t)
			p := s.launch("sipc-family-faulty", s.options(host.Options{}, fault))
			session, err := p.Open(t.Context(), familytest.Table(4, 3, 0, 1))
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			mustFail(t, session.Close(), "failed while it closes a session: it did not answer within 2s", start)
		})
	}
}

// What is silent but busy is left alone, and prints go to the log.
func TestBusyAndTalkativeFamilies(t *testing.T) {
	s := newScene(t)
	if err := useAll(t.Context(), s.launch("sipc-family-faulty", s.options(short(), "slow in expand"))); err != nil {
		t.Errorf("a busy family is given up: %v", err)
	}
	var log logged
	o := s.options(short(), "print in map")
	o.Log = &log
	p := s.launch("sipc-family-faulty", o)
	if err := useAll(t.Context(), p); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"a word on standard output\n", "a word on standard error\n"} {
		for start := time.Now(); !log.has(want) && time.Since(start) < deadline; { // the log comes on its own way
			time.Sleep(time.Millisecond)
		}
		if !log.has(want) {
			t.Errorf("the log lacks %q", want)
		}
	}
}

// A caller's cancellation ends the call at once, and the family goes on.
func TestCancellation(t *testing.T) {
	s := newScene(t)
	p := s.launch("sipc-family-faulty", s.options(host.Options{}, "endless"))
	data := familytest.Table(4, 3, 0, 1)
	session, err := p.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	err = session.Expand(ctx, &plugins.DomainCall{Name: "all"}, func(*plugins.Chunk) error {
		cancelled = time.Now()
		cancel()
		return nil
	})
	if took := time.Since(cancelled); !errors.Is(err, context.Canceled) || took > time.Second {
		t.Errorf("error %v after %v", err, took)
	}
	if _, err := session.Map(t.Context(), &plugins.MapCall{Name: "same", At: familytest.Evaluations(data)}); err != nil {
		t.Errorf("after a cancellation: %v", err)
	}
	stop := errors.New("enough")
	if err := session.Expand(t.Context(), &plugins.DomainCall{Name: "all"}, func(*plugins.Chunk) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want the caller's own", err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := host.Launch(ctx, filepath.Join(programs, "sipc-family-faulty"), s.options(host.Options{}, "mute")); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 2*time.Second {
		t.Errorf("a start that is cancelled ends in %v after %v", err, time.Since(start))
	}
}

// Children in the process's group go with it.
func TestChildrenGoToo(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		s := newScene(t)
		p := s.launch("sipc-family-faulty", s.options(short(), "children"))
		if len(s.children()) == 0 {
			t.Fatal("the family has no children")
		}
		start := time.Now()
		if err := p.Close(); err != nil || time.Since(start) > 2*time.Second {
			t.Errorf("close: %v after %v", err, time.Since(start))
		}
	})
	t.Run("killed from outside", func(t *testing.T) {
		s := newScene(t)
		p := s.launch("sipc-family-faulty", s.options(short(), "children"))
		for range 2 {
			if err := useAll(t.Context(), p); err != nil {
				t.Errorf("a process that was killed is not started again: %v", err)
			}
			if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		start := time.Now()
		mustFail(t, useAll(t.Context(), p), "signal: killed, and so it did before it was started again", start)
	})
	t.Run("stopped from outside", func(t *testing.T) {
		s := newScene(t)
		p := s.launch("sipc-family-faulty", s.options(short(), ""))
		if err := syscall.Kill(p.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := p.Close(); err != nil || time.Since(start) > time.Second {
			t.Errorf("closing a stopped process: %v after %v", err, time.Since(start))
		}
	})
}

// The process sees little of this one's environment.
func TestEnvironmentIsReduced(t *testing.T) {
	s := newScene(t)
	p := s.launch("sipc-family-faulty", s.options(short(), ""))
	raw, err := os.ReadFile("/proc/" + itoa(p.PID()) + "/environ")
	if err != nil {
		t.Skip("no /proc here")
	}
	for v := range strings.SplitSeq(strings.TrimRight(string(raw), "\x00"), "\x00") {
		key, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(key, "PLUGIN_"), strings.HasPrefix(key, "LC_"):
		case key == "PATH", key == "LANG", key == "TZ", key == "TMPDIR", key == "SIPC_FAMILY":
		case key == "SIPC_FAULT", key == "PIDS", key == "SIPC_TEST_SCENE": // this test's own
		default:
			t.Errorf("the process inherits %s", key)
		}
	}
}

func TestProgramsThatCannotRun(t *testing.T) {
	dir := t.TempDir()
	s := newScene(t)
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("\x7fELF but not really"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "family.py")
	if err := os.WriteFile(source, []byte("#!/usr/bin/env python3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := s.options(short(), "")
	o.Name = "swaps"
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "there is no such program",
		dir:                        "not a program but a directory",
		text:                       "it is not a program: it may not be run",
		script:                     "it may not be run; chmod +x " + script,
		source:                     "python3 -m sipc_family bundle " + source,
		broken:                     "cannot be started",
		filepath.Join(programs, "sipc-family-faulty"): "it is the family faulty: say `use faulty from …`",
		"/dev/null": "not a program but a special file",
	} {
		_, err := host.Launch(t.Context(), path, o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", path, err, want)
		}
	}
}

// The time that a call may take is the process's: what its caller does with an answer does not count.
func TestOnlyWaitingCounts(t *testing.T) {
	s := newScene(t)
	o := s.options(host.Options{Call: 500 * time.Millisecond}, "slow in expand") // a second
	session, err := s.launch("sipc-family-faulty", o).Open(t.Context(), familytest.Table(4, 3, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	err = session.Expand(t.Context(), &plugins.DomainCall{Name: "all"}, func(*plugins.Chunk) error { return nil })
	mustFail(t, err, "failed in all: its call did not end within 500ms", start)

	o = s.options(host.Options{Call: 500 * time.Millisecond}, "")
	session, err = s.launch("sipc-family-faulty", o).Open(t.Context(), familytest.Table(4, 3, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	chunks := 0
	err = session.Expand(t.Context(), &plugins.DomainCall{Name: "all"}, func(*plugins.Chunk) error {
		chunks++
		time.Sleep(250 * time.Millisecond) // a second in all
		return nil
	})
	if err != nil || chunks != 4 {
		t.Errorf("%d chunks, %v", chunks, err)
	}
}

// Memory that processes share counts once.
func TestSharedMemoryCountsOnce(t *testing.T) {
	s := newScene(t)
	o := s.options(host.Options{Memory: 256 << 20}, "family in expand")
	p := s.launch("sipc-family-faulty", o)
	if err := useAll(t.Context(), p); err != nil {
		t.Error(err)
	}
}
