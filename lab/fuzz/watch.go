package fuzz

import (
	"sync"
	"time"

	"github.com/sipc-ml/sipc/lab/bench"
)

// A watch measures what processors spend on a case, without the laboratory's own checks of its results.
type watch struct {
	mu     sync.Mutex
	began  time.Duration
	aside  time.Duration // that was spent on checks
	since  time.Duration // when the check at hand began
	paused bool
}

// newWatch starts a watch.
func newWatch() *watch { return &watch{began: bench.Spent()} }

// spent returns the time so far.
func (w *watch) spent() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := bench.Spent()
	if w.paused {
		now = w.since
	}
	return now - w.began - w.aside
}

// pause leaves out what is spent until the function that it returns is called.
func (w *watch) pause() (resume func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since, w.paused = bench.Spent(), true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.aside, w.paused = w.aside+bench.Spent()-w.since, false
	}
}
