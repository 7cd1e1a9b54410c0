package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/mixup"
)

// pluginBench says how much `sipc bench plugins` does.
type pluginBench struct {
	program        string
	starts, rows   int
	features, runs int
}

// pluginFigures are what it measures.
type pluginFigures struct {
	Start      float64 `json:"start_seconds"`         // the median of starts: copy, digest, process, handshake, schema
	Rate       float64 `json:"mib_per_second"`        // of blocks from the process, the making of them included
	Making     float64 `json:"mib_per_second_inside"` // of the same blocks in process
	RunProcess float64 `json:"run_seconds"`           // a run with mixup as a process, the shortest
	RunInside  float64 `json:"run_seconds_inside"`    // the same run with mixup in process, the shortest
	Ratio      float64 `json:"run_ratio"`
}

func newBenchPlugins() *cobra.Command {
	var b pluginBench
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plugins PROGRAM",
		Short: "What a family as a process costs: its start, its blocks, a whole run",
		Long: `PROGRAM is the family mixup as a program of its own. Measure how long it takes to start, how fast its blocks of functionals arrive, and
how much longer a run takes with it than with the same family in process. Runs take turns, and the shortest of each counts.`,
		Example: "  go build ./plugins/mixup/sipc-family-mixup && sipc bench plugins ./sipc-family-mixup",
		Args:    arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			b.program = args[0]
			if min(b.starts, b.rows, b.features, b.runs) < 1 || b.rows < 8 {
				return &callError{cmd, fmt.Errorf("--starts, --features and --runs must be at least 1, --rows at least 8")}
			}
			figures, err := b.measure(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), figures)
			}
			return figures.write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.IntVar(&b.starts, "starts", 15, "how many starts are timed")
	f.IntVar(&b.rows, "rows", 500, "the rows of the data")
	f.IntVar(&b.features, "features", 784, "their features")
	f.IntVar(&b.runs, "runs", 3, "how many runs of each kind are timed, and expansions")
	f.BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}

func (f *pluginFigures) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "start     %6.1f ms\nblocks    %6.0f MiB/s as a process, %.0f MiB/s in process\nrun       %6.3f s as a process, %.3f s in process: ratio %.3f\n",
		1e3*f.Start, f.Rate, f.Making, f.RunProcess, f.RunInside, f.Ratio)
	return err
}

func (b *pluginBench) measure(ctx context.Context) (*pluginFigures, error) {
	f := &pluginFigures{}
	var err error
	if f.Start, err = b.start(ctx); err != nil {
		return nil, err
	}
	process, err := host.Launch(ctx, b.program, host.Options{Name: "mixup"})
	if err != nil {
		return nil, err
	}
	defer process.Close() //nolint:errcheck // its work is done
	for range b.runs {
		for family, rate := range map[plugins.Family]*float64{process: &f.Rate, mixup.New(): &f.Making} {
			r, err := b.blocks(ctx, family)
			if err != nil {
				return nil, err
			}
			*rate = max(*rate, r)
		}
	}
	return f, b.compareRuns(ctx, f)
}

// start is the median time of a start.
func (b *pluginBench) start(ctx context.Context) (float64, error) {
	var times []float64
	for range b.starts {
		begin := time.Now()
		p, err := host.Launch(ctx, b.program, host.Options{Name: "mixup"})
		if err != nil {
			return 0, err
		}
		times = append(times, time.Since(begin).Seconds())
		if err := p.Close(); err != nil {
			return 0, err
		}
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}

// blocks is how many MiB of points of pairs arrive in a second.
func (b *pluginBench) blocks(ctx context.Context, family plugins.Family) (float64, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	data := &plugins.Data{}
	row := make([]float64, b.features)
	for range b.rows {
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		data.Rows.Append(row)
	}
	session, err := family.Open(ctx, data)
	if err != nil {
		return 0, err
	}
	bytes, begin := 0, time.Now()
	call := &plugins.DomainCall{Name: "pairs", Nodes: []float64{0.1, 0.3, 0.5, 0.7, 0.9}, Args: []plugins.Value{
		{Name: "count", Kind: plugins.KindCount, Number: float64(4 * b.rows)},
	}}
	err = session.Expand(ctx, call, func(c *plugins.Chunk) error {
		for _, block := range c.Points {
			bytes += 8 * len(block.Points.Data)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	rate := float64(bytes) / (1 << 20) / time.Since(begin).Seconds()
	return rate, session.Close()
}

// compareRuns times runs that differ in where the family is.
func (b *pluginBench) compareRuns(ctx context.Context, f *pluginFigures) error {
	dir, err := os.MkdirTemp("", "sipc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // of temporary files
	program, err := filepath.Abs(b.program)
	if err != nil {
		return err
	}
	data := filepath.Join(dir, "data.csv")
	if err := os.WriteFile(data, []byte(b.table()), 0o600); err != nil {
		return err
	}
	specs := map[string]*float64{fmt.Sprintf("use mixup from %q\n", program): &f.RunProcess, "": &f.RunInside}
	for range b.runs {
		for use, best := range specs {
			seconds, err := timeRun(ctx, dir, use, data)
			if err != nil {
				return err
			}
			if *best == 0 || seconds < *best {
				*best = seconds
			}
		}
	}
	f.Ratio = f.RunProcess / f.RunInside
	return nil
}

const benchSpec = `data { target kind : class }
kernel     gaussian(width = median)
features   nystrom(landmarks = rows)
invariance mixup = rms over pairs(count = 1n) of max over λ in [0, 1] of |d/dλ f|
regularize mixup
learn      softmax
`

// timeRun is how long a run takes, from reading the spec to the report.
func timeRun(ctx context.Context, dir, use, data string) (float64, error) {
	begin := time.Now()
	spec := sipc.NewSpec(ctx, filepath.Join(dir, "spec.inv"), []byte(use+benchSpec), sipc.SpecOptions{})
	defer spec.Close() //nolint:errcheck // its work is done
	if err := spec.Err(); err != nil {
		return 0, err
	}
	_, err := sipc.Run(ctx, spec, sipc.RunOptions{Data: data})
	return time.Since(begin).Seconds(), err
}

// table is data of three classes, smaller than what blocks are measured on: a run does much more with each number.
func (b *pluginBench) table() string {
	n, p := max(60, b.rows/5), max(5, b.features/10)
	rng := rand.New(rand.NewPCG(3, 4))
	var s strings.Builder
	for j := range p {
		fmt.Fprintf(&s, "x%d,", j)
	}
	s.WriteString("kind\n")
	for i := range n {
		for j := range p {
			fmt.Fprintf(&s, "%.4f,", rng.NormFloat64()+float64(2*(i%3)*(j%2)))
		}
		s.WriteString([]string{"ant", "bee", "cat"}[i%3] + "\n")
	}
	return s.String()
}
