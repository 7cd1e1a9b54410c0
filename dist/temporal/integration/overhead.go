package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
)

// A took is what something took, in seconds.
type took struct {
	Wall       float64            `json:"wall"`
	Processors float64            `json:"processors"`
	Of         map[string]float64 `json:"of,omitempty"` // the processors' by process
}

// A comparison is what Temporal took beside the pool of sipc embed --blocks, round by round.
type comparison struct {
	Rows     int    `json:"rows_of_a_block"`
	Blocks   int    `json:"blocks"`
	Same     bool   `json:"same_bytes"`
	Pool     []took `json:"pool"`
	Planned  []took `json:"planned"` // by the pool on a plan with rows, as Temporal has it
	Temporal []took `json:"temporal"`
	// The ratios are medians over rounds of Temporal over the pool, less one; Beside those over the pool on such a plan.
	Wall       float64 `json:"wall"`
	Processors float64 `json:"processors"`
	Beside     struct {
		Wall       float64 `json:"wall"`
		Processors float64 `json:"processors"`
	} `json:"beside_planned"`
}

func newOverhead() *cobra.Command {
	var s site
	rounds := 5
	cmd := &cobra.Command{
		Use:   "overhead MODEL DATA",
		Short: "What Temporal costs beside the pool of sipc embed --blocks",
		Long: `Embed all rows of DATA in turns by sipc embed --blocks, by sipc plan before that, and by sipc plan and sipc-temporal with one worker. Server and worker run before. The time of
processors is that of all processes: plan, submit, worker and server.`,
		Args: cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.at(cmd, args, func() error {
				c, err := s.compare(cmd.Context(), rounds)
				if err != nil {
					return err
				}
				return cli.WriteJSON(cmd.OutOrStdout(), c)
			})
		},
	}
	s.flags(cmd)
	cmd.Flags().IntVar(&rounds, "rounds", rounds, "how many times both are measured")
	return cmd
}

// compare measures both in turns.
func (s *site) compare(ctx context.Context, rounds int) (*comparison, error) {
	if err := s.serve(ctx); err != nil {
		return nil, err
	}
	if err := s.hire(ctx, 1); err != nil {
		return nil, err
	}
	c := &comparison{Rows: s.rows, Same: true}
	for range rounds {
		pool, err := measured(func() ([]*process, error) { return s.pool(ctx, "pool.npy") })
		if err != nil {
			return nil, err
		}
		planned, err := measured(func() ([]*process, error) {
			plan, err := s.plan(ctx, s.path("pool"))
			if err != nil {
				return nil, err
			}
			pool, err := s.pool(ctx, "pool.npy")
			return append(pool, plan), err
		})
		if err != nil {
			return nil, err
		}
		temporal, err := measured(func() ([]*process, error) { return s.submitted(ctx, c) }, s.server, s.workers[0])
		if err != nil {
			return nil, err
		}
		alike, err := same(s.path("merged.npy"), s.path("pool.npy"))
		if err != nil {
			return nil, err
		}
		c.Pool, c.Planned, c.Temporal, c.Same = append(c.Pool, pool), append(c.Planned, planned), append(c.Temporal, temporal), c.Same && alike
	}
	wall, processors := func(t took) float64 { return t.Wall }, func(t took) float64 { return t.Processors }
	c.Wall, c.Processors = over(c.Temporal, c.Pool, wall), over(c.Temporal, c.Pool, processors)
	c.Beside.Wall, c.Beside.Processors = over(c.Temporal, c.Planned, wall), over(c.Temporal, c.Planned, processors)
	return c, nil
}

// over returns the median over rounds of what one took over what another did, less one.
func over(one, other []took, of func(took) float64) float64 {
	var ratios []float64
	for i := range one {
		ratios = append(ratios, of(one[i])/of(other[i])-1)
	}
	slices.Sort(ratios)
	n := len(ratios)
	return (ratios[(n-1)/2] + ratios[n/2]) / 2
}

// submitted embeds all rows by the server.
func (s *site) submitted(ctx context.Context, c *comparison) ([]*process, error) {
	folder := s.path("work")
	defer os.RemoveAll(folder) //nolint:errcheck // only for space
	plan, err := s.plan(ctx, folder)
	if err != nil {
		return nil, err
	}
	c.Blocks = count(folder, "in")
	submit, err := run(ctx, s.temporal, s.submit(folder, s.path("merged.npy"))...)
	return []*process{plan, submit}, err
}

// measured does something, and returns what it took: processes of its own, and some that stand by.
func measured(do func() ([]*process, error), standing ...*process) (t took, err error) {
	t.Of = map[string]float64{}
	for _, p := range standing {
		if t.Of[p.name()], err = p.spent(); err != nil {
			return t, err
		}
	}
	began := time.Now()
	own, err := do()
	if err != nil {
		return t, err
	}
	t.Wall = time.Since(began).Seconds()
	for _, p := range standing {
		now, err := p.spent()
		if err != nil {
			return t, err
		}
		t.Of[p.name()] = now - t.Of[p.name()]
	}
	for _, p := range own {
		t.Of[p.name()] = (p.ProcessState.UserTime() + p.ProcessState.SystemTime()).Seconds()
	}
	for _, seconds := range t.Of {
		t.Processors += seconds
	}
	return t, nil
}

// name returns the command that a process does.
func (p *process) name() string { return p.Args[1] }

// spent returns the seconds of processors that a process has taken till now, as Linux tells them, in hundredths.
func (p *process) spent() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // from the third on
	user, e := strconv.ParseFloat(fields[11], 64)
	system, err := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100, errors.Join(e, err)
}
