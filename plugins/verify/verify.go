// Package verify is a conformance suite for families that are processes. It reports whether a program keeps the contract
// of package plugins.
//
// The host runs the program as it does for specs, on data made up here, with arguments that the schema allows. Each file
// is a check of one demand of the contract. It reports its findings in words that name the domain or map, the arguments
// and the data. A check that has nothing to try says so, and this is not a fault.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/plugins"
)

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

// Names returns the names of the checks, in their order.
func Names() []string {
	out := make([]string, len(checks))
	for i := range checks {
		out[i] = checks[i].name
	}
	return out
}

// Run verifies the program at path. It fails if ctx ends, or if there is no program that can be run. Everything that
// the program itself does wrong is in the report.
func Run(ctx context.Context, path string, o Options) (*Report, error) {
	o.Host.Answer, o.Host.Call = cmp.Or(o.Host.Answer, 30*time.Second), cmp.Or(o.Host.Call, time.Minute)
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

// wants tells whether a check is to run. Without the handshake there is nothing to ask.
func (o *Options) wants(check string) bool {
	return o.Checks == nil || check == "handshake" || slices.Contains(o.Checks, check)
}

// known tells of a name that is not a check's.
func known(names []string) error {
	for _, name := range names {
		if !slices.Contains(Names(), name) {
			return fmt.Errorf("there is no check %q; there are %s", name, strings.Join(Names(), ", "))
		}
	}
	return nil
}
