package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/familytest"
	"github.com/sipc-ml/sipc/plugins/host"
)

// A process that dies in a call is started again, once: the call is made anew, and its caller sees each chunk once.
func TestStartedAgain(t *testing.T) {
	for _, fault := range []string{"once kill in open", "once exit in expand", "once panic in expand", "once kill in map"} {
		t.Run(fault, func(t *testing.T) {
			s := newScene(t)
			var notices []string
			o := s.options(short(), fault)
			o.Notice = func(text string) { notices = append(notices, text) }
			p := s.launch("sipc-family-faulty", o)
			before := p.PID()
			data := familytest.Table(4, 3, 0, 1)
			session, err := p.Open(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			var rows []int32
			err = session.Expand(t.Context(), &plugins.DomainCall{Name: "all"}, func(c *plugins.Chunk) error {
				rows = append(rows, c.Points[0].Point...)
				return nil
			})
			if err != nil || !reflect.DeepEqual(rows, []int32{0, 1, 2, 3}) {
				t.Errorf("rows %v, %v", rows, err)
			}
			at := familytest.Evaluations(data)
			if b, err := session.Map(t.Context(), &plugins.MapCall{Name: "same", At: at}); err != nil || b.Len() != at.Len() {
				t.Errorf("map: %v", err)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			if p.PID() == before || len(notices) != 1 || !strings.Contains(notices[0], "its process ended") || p.Failed() {
				t.Errorf("process %d, before %d, notices %q", p.PID(), before, notices)
			}
		})
	}
}

// Calls beside each other that die with a process share its second life.
func TestStartedAgainOnceForAll(t *testing.T) {
	s := newScene(t)
	p := s.launch("sipc-family-faulty", s.options(short(), "once kill in expand"))
	session, err := p.Open(t.Context(), familytest.Table(4, 3, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			chunks := 0
			err := session.Expand(t.Context(), &plugins.DomainCall{Name: "all"}, func(*plugins.Chunk) error {
				chunks++
				return nil
			})
			if err != nil || chunks != 4 {
				t.Errorf("%d chunks, %v", chunks, err)
			}
		})
	}
	all.Wait()
}

// What is started again must be what ran before, and answer as before.
func TestNotAnotherInItsPlace(t *testing.T) {
	t.Run("answers", func(t *testing.T) {
		s := newScene(t)
		t.Cleanup(func() { _ = os.Remove(s.once()) }) // the second life may end before it would
		p := s.launch("sipc-family-faulty", s.options(short(), "once waver in expand"))
		mustFail(t, useAll(t.Context(), p), "started again, it answers otherwise than before", time.Now())
	})
	t.Run("program", func(t *testing.T) {
		s := newScene(t)
		program := install(t, "sipc-family-faulty")
		p, err := host.Launch(t.Context(), program, s.options(short(), "once kill in map"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = p.Close() }()
		other, err := os.ReadFile(filepath.Join(programs, "sipc-family-mixup"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(program), os.WriteFile(program, other, 0o700)); err != nil {
			t.Fatal(err)
		}
		mustFail(t, useAll(t.Context(), p), "its program was changed meanwhile: its sha256 was "+p.Digest(), time.Now())
		if err := os.Remove(s.once()); err != nil { // the second life would have
			t.Error(err)
		}
	})
}

// Closing a process that is about to be started again ends that start: afterwards nothing is left, and the call that was to be
// made anew says that it is closed.
func TestClosedWhileItIsStartedAgain(t *testing.T) {
	s := newScene(t)
	o := s.options(host.Options{}, "once kill in expand then mute") // the second life never greets
	restarting := make(chan struct{})
	o.Notice = func(string) { close(restarting) }
	p := s.launch("sipc-family-faulty", o)
	done := make(chan error, 1)
	go func() { done <- useAll(t.Context(), p) }()
	<-restarting
	s.eventually("it is not started again", func() bool { // what the first life left, the second one has removed
		_, err := os.Stat(s.once())
		return errors.Is(err, os.ErrNotExist) && len(s.processes()) > 0
	})
	start := time.Now()
	if err := p.Close(); err != nil || time.Since(start) > time.Second {
		t.Errorf("close: %v after %v", err, time.Since(start))
	}
	s.nothingLeft() // at once
	if err := <-done; err == nil || !strings.HasSuffix(err.Error(), "it is closed") {
		t.Errorf("the call ends in %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
