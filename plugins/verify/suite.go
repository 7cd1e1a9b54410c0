package verify

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
)

// Options say how a program is verified. The zero value is the default.
type Options struct {
	// Accept tells what the language finds wrong with a family: its words, its defaults, its definitions. Nil: nothing.
	Accept func(context.Context, plugins.Family) []string
	// Files hold the content of a file to give for arguments of kind KindFile, by the argument's name. Calls that
	// need a missing one are not tried.
	Files map[string][]byte
	// Host says how the program is run. Silence, Answer and Call are shorter by default than those of specs.
	Host host.Options
	// Checks are those to run, by name, beside the handshake; nil runs all.
	Checks []string
	// Quick asks about large data of 4 MiB, and not of 64.
	Quick bool
	// Progress is told of each check before it begins; nil is told nothing.
	Progress func(check string)

	small bool // asks for little
}

// The ends of a check.
const (
	Passed  = "passed"
	Failed  = "failed"
	Skipped = "skipped" // nothing could be tried
)

// NotRun is the note of a check that was skipped because there is nothing to ask.
const NotRun = "not run: the family does not start, or describes itself wrongly"

// A Report is what was found.
type Report struct {
	Program string  `json:"program"`
	Name    string  `json:"name"`
	Version string  `json:"version"`
	SHA256  string  `json:"sha256"`
	Passed  bool    `json:"passed"` // no check failed
	Checks  []Check `json:"checks"`
	// Untried are the calls that could not be made, and those that the family refused.
	Untried []string `json:"untried"`
}

// A Check is what one check found.
type Check struct {
	Name     string   `json:"name"`
	Question string   `json:"question"`
	Status   string   `json:"status"`
	Tried    int      `json:"tried"`    // how many questions were answered
	Findings []string `json:"findings"` // what is wrong
	Notes    []string `json:"notes"`    // what was measured, and what could not be tried
	Seconds  float64  `json:"seconds"`
}

// A checking is the question of a check, and what asks it.
type checking struct {
	name, question string
	run            func(context.Context, *suite)
}

// run runs one check, which is the suite's then.
func (s *suite) run(ctx context.Context, c *checking) error {
	if s.options.Progress != nil {
		s.options.Progress(c.name)
	}
	began := time.Now()
	s.check = Check{Name: c.name, Question: c.question}
	s.findings, s.notes = lines{most: mostFindings}, lines{most: mostNotes}
	if c.name == "handshake" || s.schema != nil || (c.name == "schema" && s.undescribed != nil) {
		c.run(ctx, s)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.refused != nil {
		return s.refused
	}
	s.deaths()
	s.check.Seconds = time.Since(began).Seconds()
	s.check.Status = s.status()
	s.check.Findings, s.check.Notes = s.findings.texts(), s.notes.texts()
	return nil
}

// A suite is what the checks share.
type suite struct {
	path        string
	options     Options
	sizes       sizes
	refused     error // the program is not a file that can be run
	undescribed error // it starts, but its schema is not good
	process     *host.Process
	digest      string
	schema      *plugins.Schema
	second      *plugins.Schema          // what another process says of itself
	tables      map[[2]int]*plugins.Data // large ones, by rows and columns
	check       Check                    // that is running
	findings    lines                    // of that check
	notes       lines                    // likewise
	untried     lines                    // of all checks: what they could not try, or were refused
	fails       map[string]bool          // the subjects whose usual call fails
	usual       map[string]error         // of subjects whose usual call was made: why it was refused, nil where it was answered
	answered    map[string]bool          // the domains and maps that answered a call
	motion      motion

	mu      sync.Mutex
	notices []string
}

func (s *suite) status() string {
	switch {
	case len(s.findings.all) > 0:
		return Failed
	case s.check.Tried == 0:
		if len(s.notes.all) == 0 {
			if s.schema == nil {
				s.notef("%s", NotRun)
			} else {
				s.notef("there is nothing to try")
			}
		}
		return Skipped
	}
	return Passed
}

// notice hears of a process that died and was started again: in a run that is mended, here it is a fault.
func (s *suite) notice(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices = append(s.notices, line)
}

// deaths reports what notice heard, where the check itself found nothing.
func (s *suite) deaths() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.notices {
		if len(s.findings.all) == 0 {
			s.findf("%s", line)
		}
	}
	s.notices = nil
}

// launch starts a process beside the suite's own.
func (s *suite) launch(ctx context.Context) (*host.Process, error) {
	return host.Launch(ctx, s.path, s.options.Host)
}

// family returns the suite's process, started anew if it was given up.
func (s *suite) family(ctx context.Context) (*host.Process, error) {
	if s.process != nil {
		if _, err := s.process.Describe(ctx); err == nil {
			return s.process, nil
		}
	}
	s.close()
	p, err := s.launch(ctx)
	if err != nil {
		return nil, err
	}
	s.process = p
	return p, nil
}

// sound returns the suite's process, started anew if it was given up; nil, with a finding, where that fails.
func (s *suite) sound(ctx context.Context) *host.Process {
	p, err := s.family(ctx)
	if err != nil {
		s.findf("%v", err)
		return nil
	}
	return p
}

// asked returns the subjects, each with the process to ask. It ends with a finding where that cannot be started anew.
func (s *suite) asked(ctx context.Context) iter.Seq2[*subject, *host.Process] {
	return func(yield func(*subject, *host.Process) bool) {
		for _, sub := range s.subjects() {
			if p := s.sound(ctx); p == nil || !yield(sub, p) {
				return
			}
		}
	}
}

func (s *suite) close() {
	if s.process != nil {
		_ = s.process.Close() // what it leaves behind is the host's affair, and tested there
		s.process = nil
	}
}

// broke reports whether an error is the family's fault, and not one that a user can mend: it crashed, hung, or broke
// the contract.
func broke(err error) bool {
	var failed *host.Error
	var answer *plugins.AnswerError
	return errors.As(err, &failed) || errors.As(err, &answer)
}
