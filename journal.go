package sipc

import (
	"time"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/runtime/metric"
)

// A journal collects what a run tells on its way: warnings, and how long its stages took.
type journal struct {
	warnings, told []string
	seconds        []metric.Figure
	started, last  time.Time
	hear           func(*diag.Diagnostic) // nil: nobody listens
	answers        host.Answers           // of the programs of the spec
}

func newJournal(hear func(*diag.Diagnostic)) *journal {
	now := time.Now()
	return &journal{started: now, last: now, hear: hear}
}

// lap files the time since the last lap, or since a stage, under a name.
func (j *journal) lap(name string) {
	now := time.Now()
	j.spent(name, now.Sub(j.last).Seconds())
}

// spent files the seconds that a stage took.
func (j *journal) spent(name string, seconds float64) {
	j.seconds = append(j.seconds, metric.Figure{Name: name, Value: seconds})
	j.last = time.Now()
}

// total returns all times, and their sum last.
func (j *journal) total() []metric.Figure {
	return append(j.seconds, metric.Figure{Name: "total", Value: time.Since(j.started).Seconds()})
}

// note files a warning that has no place in the spec.
func (j *journal) note(text string) { j.warnings = append(j.warnings, text) }

// warn files a warning that has a place in the spec, and tells the caller all of it.
func (j *journal) warn(d *diag.Diagnostic) {
	text := d.Error()
	j.warnings = append(j.warnings, text)
	if j.hear != nil {
		j.told = append(j.told, text)
		j.hear(d)
	}
}
