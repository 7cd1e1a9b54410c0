// Package verify is a conformance suite for families that are processes: does a program keep the contract of package plugins?
//
// It runs the program by the host that runs it for specs, on data of its own making, with arguments that the schema allows. A
// check is a file: each asks for one thing that the contract demands, and reports what it finds against it, in words that name the
// domain or map, the arguments and the data. A check that finds nothing to try says so: that is no fault.
package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
)

// Options say how a program is verified. The zero value is the default.
type Options struct {
	// Accept tells what the language finds wrong with a family: its words, its defaults, its definitions. Nil: nothing.
	Accept func(context.Context, plugins.Family) []string
	// Files hold the content of a file to give for arguments of kind KindFile, by the argument's name; where one is missing, what
	// needs it is not tried.
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

// checks are the checks in the order in which they run. What follows would be confused by a fault of what comes before.
var checks = []checking{
	{"handshake", "does it start, connect, and end when it is told to?", handshake},
	{"schema", "does it describe itself fully, always alike, in words that the language takes?", schema},
	{"determinism", "does the same call give the same answer: again, in another session, in another process, beside others?", determinism},
	{"labels", "do maps move points alone, and leave labels and coefficients as the call gives them?", labels},
	{"derivative", "do derivatives agree with finite differences of the values?", derivative},
	{"preparation", "does a call mean the same however the data are prepared?", preparation},
	{"boundedness", "are functionals bounded, on constant columns, repeated rows, large and small numbers too?", boundedness},
	{"chunking", "do answers come in chunks that fit, and calls of many megabytes arrive whole?", chunking},
	{"cancellation", "does it stop when nobody waits any more, and answer afterwards as before?", cancellation},
	{"arguments", "does it answer or refuse, in one line, every argument that its schema allows?", arguments},
	{"empty", "does it stand data without rows, of one row or column, and calls without functionals?", empty},
	{"large", "does it stand large data within the limits of time and memory?", large},
}

// Names are the names of the checks, in their order.
func Names() []string {
	out := make([]string, len(checks))
	for i := range checks {
		out[i] = checks[i].name
	}
	return out
}

// Run verifies the program at path. The error is that of ctx, or of a program that is no file that can be run; all that the
// program itself does wrong is in the report.
func Run(ctx context.Context, path string, o Options) (*Report, error) {
	for _, d := range []struct {
		field    *time.Duration
		fallback time.Duration
	}{{&o.Host.Answer, 30 * time.Second}, {&o.Host.Call, time.Minute}} {
		if *d.field <= 0 {
			*d.field = d.fallback
		}
	}
	if err := known(o.Checks); err != nil {
		return nil, err
	}
	s := &suite{path: path, options: o, sizes: o.sizes(), tables: map[[2]int]*plugins.Data{}, untried: lines{most: mostNotes}}
	s.fails, s.usual, s.answered = map[string]bool{}, map[string]error{}, map[string]bool{}
	defer s.close()
	s.options.Host.Notice = s.notice
	report := &Report{Program: path, Passed: true, Untried: []string{}}
	for i := range checks {
		if !o.wants(checks[i].name) {
			continue
		}
		if err := s.run(ctx, &checks[i]); err != nil {
			return nil, err
		}
		report.Passed = report.Passed && s.check.Status != Failed
		report.Checks = append(report.Checks, s.check)
	}
	for _, one := range s.untried.all {
		report.Untried = append(report.Untried, one.where+": "+one.text)
	}
	if s.schema != nil {
		report.Name, report.Version, report.SHA256 = s.schema.Name, s.schema.Version, s.digest
	}
	return report, nil
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

// wants tells whether a check is to run. Without the handshake there is nothing to ask.
func (o *Options) wants(check string) bool {
	return o.Checks == nil || check == "handshake" || slices.Contains(o.Checks, check)
}

// known tells of a name that is no check's.
func known(names []string) error {
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("there is no check %q; there are %s", name, strings.Join(Names(), ", "))
		}
	}
	return nil
}

// A suite is what the checks share.
type suite struct {
	path        string
	options     Options
	sizes       sizes
	refused     error // the program is no file that can be run
	undescribed error // it starts, but its schema is no good
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

// family is the suite's process, started anew where it was given up.
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

func (s *suite) close() {
	if s.process != nil {
		_ = s.process.Close() // what it leaves behind is the host's affair, and tested there
		s.process = nil
	}
}

// broke tells whether an error is the family's fault, and not what a user can mend: it crashed, hung, or broke the contract, alone
// or by what it says that it needs.
func broke(err error) bool {
	var failed *host.Error
	var answer *plugins.AnswerError
	return errors.As(err, &failed) || errors.As(err, &answer)
}
