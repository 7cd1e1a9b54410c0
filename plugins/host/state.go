package host

import (
	"context"
	"sync"
)

// A state says in which life a process is, and whether it may still be called.
type state struct {
	mu        sync.Mutex
	life      *life
	restarted bool               // once
	abort     context.CancelFunc // ends the start that is under way then
	dead      error              // why the process was given up; nil while it is trusted
}

// running returns the current life.
func (s *state) running() *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.life
}

// alive returns nil while the process may be called, and else why not.
func (s *state) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

// lives reports whether l is the current life, and may be called.
func (s *state) lives(l *life) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead == nil && s.life == l
}

// restarts notes that the process is to be started again, and how that start is aborted. It reports whether it was before, and
// fails where the process was closed or given up.
func (s *state) restarts(abort context.CancelFunc) (before bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, s.restarted, s.abort = s.restarted, true, abort
	return before, s.dead
}

// take makes next the current life, unless the process was closed meanwhile.
func (s *state) take(next *life) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		s.life = next
	}
	return s.dead
}

// giveUp makes err the answer to every later call.
func (s *state) giveUp(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		s.dead = err
	}
	return err
}

// close gives the process up, aborts a start that is under way, and returns the current life.
func (s *state) close(reason error) *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead == nil {
		s.dead = reason
	}
	if s.abort != nil {
		s.abort()
	}
	return s.life
}
