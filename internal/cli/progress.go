package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/report"
)

// progressVariable says how often progress is written where standard error is not a terminal.
const progressVariable = "SIPC_PROGRESS"

const (
	quietFlag     = "quiet"
	noProgress    = "off"
	progressEvery = 10 * time.Second
)

// NewProgress shows the progress of a command; nil, which shows none, where that is not wanted. The caller closes it.
func NewProgress(cmd *cobra.Command) (*report.Progress, error) {
	every, err := lineEvery()
	if err != nil {
		return nil, err
	}
	if quiet, err := cmd.Flags().GetBool(quietFlag); err != nil || quiet || every == 0 {
		return nil, err
	}
	return report.NewProgress(os.Stderr, every), nil
}

// lineEvery returns how often progress is written; 0 is never.
func lineEvery() (time.Duration, error) {
	switch text := os.Getenv(progressVariable); text {
	case "":
		return progressEvery, nil
	case noProgress:
		return 0, nil
	default:
		every, err := time.ParseDuration(text)
		if err != nil || every <= 0 {
			return 0, &callError{nil, fmt.Errorf("%s=%s: write a time, such as 30s, or %s", progressVariable, text, noProgress)}
		}
		return every, nil
	}
}

// Follow shows stages and steps. What a stage says of the best so far may change on the way.
func Follow(p *report.Progress) func(stage string, done, total int) {
	last := ""
	return func(stage string, done, total int) {
		name, best, _ := strings.Cut(stage, learn.SoFar)
		if name != last {
			last = name
			p.Stage(clean(name)) // it names families, and is written beside the cleaned writer
		}
		if best != "" {
			p.Note(learn.SoFar + clean(best))
		}
		p.Step(done, total)
	}
}
