package fuzz

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// The kinds of cases.
const (
	Whole   = "whole"   // a spec, a table, a run
	Polar   = "polar"   // a polar problem, as JSON or with a gauge of any shape
	Crafted = "crafted" // a model file that was changed, with digests that fit
	Editor  = "editor"  // messages to the language server
	Risk    = "risk"    // a risk with a gauge of any shape
	Learner = "learner" // what a learner minimizes
)

// Kinds lists the kinds of cases.
func Kinds() []string { return []string{Whole, Polar, Risk, Learner, Crafted, Editor} }

// How a case ended.
const (
	Done     = "done"
	Refused  = "refused"  // with an error that says what is wrong with the input
	Failed   = "failed"   // with another error
	Panicked = "panicked" // with a stack
	Late     = "late"     // after its time
	Deaf     = "deaf"     // not at all: it did not hear that its time was over
)

// A Case is one input and what came of it.
type Case struct {
	Seed uint64 `json:"seed"`
	Kind string `json:"kind"`
	End  string `json:"end"`
	// Message is the error or the panic.
	Message string `json:"message,omitempty"`
	// Took is what processors spent on it, without the check of its certificates.
	Took   time.Duration `json:"took"`
	Method string        `json:"method,omitempty"`
	Rows   int           `json:"rows,omitempty"`
	Text   string        `json:"text,omitempty"` // the spec
	// Certificates were computed anew, and Left were too large for it. Wrong lists those that do not hold.
	Certificates int      `json:"certificates,omitempty"`
	Left         int      `json:"left,omitempty"`
	Wrong        []string `json:"wrong,omitempty"`
	// Silent is a gap that was missed without a word.
	Silent string `json:"silent,omitempty"`
	// Faults are figures that are not numbers, and what else should not be.
	Faults []string `json:"faults,omitempty"`

	dir   string
	watch *watch
}

func (c *Case) faultf(format string, args ...any) {
	c.Faults = append(c.Faults, fmt.Sprintf(format, args...))
}

func (c *Case) wrong(text string) {
	if text != "" {
		c.Wrong = append(c.Wrong, text)
	}
}

// Sound reports whether nothing was found.
func (c *Case) Sound() bool {
	return (c.End == Done || c.End == Refused || c.End == Failed) && len(c.Wrong) == 0 && len(c.Faults) == 0 && c.Silent == ""
}

// kindOf returns the kind of a seed: most are whole runs.
func kindOf(seed uint64, only string) string {
	if only != "" {
		return only
	}
	if k := seed % 40; k < 6 {
		return []string{Polar, Polar, Crafted, Editor, Risk, Learner}[k]
	}
	return Whole
}

// grace is how long a case may take to hear that its time is over.
const grace = 5 * time.Second

// patience is how many times its limit a case may take by the clock: other processes take their share, and it may wait.
const patience = 30

// Options say how a case is run.
type Options struct {
	Kind  string        // empty: that of the seed
	Limit time.Duration // that processors may spend on this process meanwhile
	Keep  string        // a folder for the case's files; empty: they are removed
}

// Run runs the case of a seed. One that does not end leaves a goroutine behind, and its process should end.
func Run(ctx context.Context, seed uint64, o Options) *Case {
	c := &Case{Seed: seed, Kind: kindOf(seed, o.Kind), dir: o.Keep, watch: newWatch()}
	if o.Keep == "" {
		dir, err := os.MkdirTemp("", "sipc-fuzz-")
		if err != nil {
			c.End, c.Message = Failed, err.Error()
			return c
		}
		c.dir = dir
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	}
	limit := o.Limit
	ctx, cancel := context.WithTimeout(ctx, patience*limit)
	defer cancel()
	done := make(chan *Case, 1)
	go func() {
		own := *c
		own.perform(ctx)
		own.Took = c.watch.spent()
		if own.Took > limit {
			own.End = Late
		}
		done <- &own
	}()
	where := ""
	for look := time.NewTicker(time.Second / 10); ; {
		select {
		case out := <-done:
			if out.End == Late {
				out.Message = where
			}
			return out
		case <-look.C:
		}
		switch spent := c.watch.spent(); {
		case spent > limit+grace:
			c.End, c.Took, c.Message = Deaf, spent, place()
			return c
		case spent > limit && where == "":
			where = place()
			cancel()
		}
	}
}

// perform runs the case in place and says how it ended.
func (c *Case) perform(ctx context.Context) {
	defer func() {
		if r := recover(); r != nil {
			c.End, c.Message = Panicked, fmt.Sprintf("%v\n%s", r, place())
		}
	}()
	run := map[string]func(context.Context) error{Whole: c.whole, Polar: c.polar, Crafted: c.crafted, Editor: c.editor, Risk: c.risks, Learner: c.learners}[c.Kind]
	err := run(ctx)
	switch {
	case err == nil:
		c.End = Done
	case ctx.Err() != nil:
		c.End = Late
	case refused(err):
		c.End = Refused
	default:
		c.End = Failed
	}
	if err != nil {
		c.Message = err.Error()
	}
}

// arguments are what follows the name of a function in a stack.
var arguments = regexp.MustCompile(`\([^*].*|\(\)`)

// place returns the functions of this project that goroutines are in, the innermost first.
func place() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	seen := map[string]bool{}
	var out []string
	for line := range strings.Lines(string(stacks)) {
		name, call := strings.CutPrefix(line, "github.com/sipc-ml/sipc")
		name = strings.Trim(arguments.ReplaceAllString(name, ""), "/\n")
		if call && !seen[name] && !strings.HasPrefix(name, "lab/") && !strings.HasPrefix(name, "internal/cli") {
			seen[name] = true
			out = append(out, name)
		}
	}
	return strings.Join(out, "\n")
}
