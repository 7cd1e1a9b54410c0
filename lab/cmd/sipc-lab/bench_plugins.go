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
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/host"
	"github.com/sipc-ml/sipc/plugins/mixup"
)

// pluginBench says how much `sipc-lab bench plugins` does.
type pluginBench struct {
	program        string
	starts, rows   int
	features, runs int
	table          int
}

// pluginFigures are what it measures. Times and rates that are repeated are shown by their median and the best of them, which
// other work on the machine disturbs least.
type pluginFigures struct {
	Start      repeated `json:"start_seconds"`         // of a start: copy, digest, process, handshake, schema
	Data       repeated `json:"data_mib_per_second"`   // of data to the process: the connection alone, nothing is made
	Blocks     repeated `json:"mib_per_second"`        // of blocks from the process, the making of them included
	Making     repeated `json:"mib_per_second_inside"` // of the same blocks in process
	RunProcess repeated `json:"run_seconds"`           // of a run with mixup as a process
	RunInside  repeated `json:"run_seconds_inside"`    // of the same run with mixup in process
	Ratio      float64  `json:"run_ratio"`             // of their best
}

// repeated is what a repeated measurement came to.
type repeated struct {
	Best   float64 `json:"best"`
	Median float64 `json:"median"`
}

// repeatedOf sums up measurements, of times or of rates.
func repeatedOf(xs []float64, best func([]float64) float64) repeated {
	slices.Sort(xs)
	return repeated{best(xs), xs[len(xs)/2]}
}

func newBenchPlugins() *cobra.Command {
	var b pluginBench
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plugins PROGRAM",
		Short: "What a family as a process costs: its start, its blocks, a whole run",
		Long: `PROGRAM is the family mixup as a program of its own. Measure how long it takes to start, how fast its blocks of functionals arrive, and
how much longer a run takes with it than with the same family in process. Runs take turns, and the shortest of each counts;
--table says of how many rows.`,
		Example: "  go build ./plugins/mixup/sipc-family-mixup && sipc-lab bench plugins ./sipc-family-mixup",
		Args:    cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b.program = args[0]
			if min(b.starts, b.features, b.runs) < 1 || b.rows < 8 || b.table < 20 {
				return cli.WrongCall(cmd, fmt.Errorf("--starts, --features and --runs must be at least 1, --rows at least 8, --table at least 20"))
			}
			figures, err := b.measure(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), figures)
			}
			return figures.write(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.IntVar(&b.starts, "starts", 15, "how many starts are timed")
	f.IntVar(&b.rows, "rows", 500, "the rows of the data")
	f.IntVar(&b.features, "features", 784, "their features")
	f.IntVar(&b.table, "table", 200, "the rows of the data of the runs")
	f.IntVar(&b.runs, "runs", 3, "how many runs of each kind are timed, and expansions")
	f.BoolVar(&asJSON, "json", false, "print one JSON object instead of text")
	return cmd
}

func (f *pluginFigures) write(w io.Writer) error {
	const rate = "%-8s %7.0f MiB/s, median %.0f%s\n"
	fmt.Fprintf(w, "start    %7.1f ms, median %.1f\n", 1e3*f.Start.Best, 1e3*f.Start.Median)
	fmt.Fprintf(w, rate, "data", f.Data.Best, f.Data.Median, ", to the process")
	fmt.Fprintf(w, rate, "blocks", f.Blocks.Best, f.Blocks.Median, fmt.Sprintf(", from the process; made in process %.0f", f.Making.Best))
	_, err := fmt.Fprintf(w, "run      %7.3f s as a process, %.3f s in process: ratio %.3f\n", f.RunProcess.Best, f.RunInside.Best, f.Ratio)
	return err
}

func (b *pluginBench) measure(ctx context.Context) (*pluginFigures, error) {
	f := &pluginFigures{}
	if err := b.measureStarts(ctx, f); err != nil {
		return nil, err
	}
	if err := b.measureBlocks(ctx, f); err != nil {
		return nil, err
	}
	return f, b.measureRuns(ctx, f)
}

func (b *pluginBench) measureStarts(ctx context.Context, f *pluginFigures) error {
	var times []float64
	for range b.starts {
		begin := time.Now()
		p, err := host.Launch(ctx, b.program, host.Options{Name: "mixup"})
		if err != nil {
			return cli.WrongInput(err)
		}
		times = append(times, time.Since(begin).Seconds())
		if err := p.Close(); err != nil {
			return err
		}
	}
	f.Start = repeatedOf(times, slices.Min)
	return nil
}

func (b *pluginBench) measureBlocks(ctx context.Context, f *pluginFigures) error {
	process, err := host.Launch(ctx, b.program, host.Options{Name: "mixup"})
	if err != nil {
		return err
	}
	defer process.Close() //nolint:errcheck // its work is done
	inside := mixup.New()
	var data, blocks, making []float64
	for range b.runs {
		sent, came, err := b.exchange(ctx, process)
		if err != nil {
			return err
		}
		_, made, err := b.exchange(ctx, inside)
		if err != nil {
			return err
		}
		data, blocks, making = append(data, sent), append(blocks, came), append(making, made)
	}
	f.Data, f.Blocks, f.Making = repeatedOf(data, slices.Max), repeatedOf(blocks, slices.Max), repeatedOf(making, slices.Max)
	return nil
}

// exchange measures how many MiB of data go to a family in a second, and how many MiB of points of pairs come back.
func (b *pluginBench) exchange(ctx context.Context, family plugins.Family) (sent, came float64, err error) {
	rng := rand.New(rand.NewPCG(1, 2))
	data := &plugins.Data{Rows: plugins.Matrix{Rows: 8 * b.rows, Cols: b.features, Data: make([]float64, 8*b.rows*b.features)}}
	for i := range data.Rows.Data {
		data.Rows.Data[i] = rng.NormFloat64()
	}
	begin := time.Now()
	session, err := family.Open(ctx, data)
	if err != nil {
		return 0, 0, err
	}
	sent = rate(8*len(data.Rows.Data), begin)
	call := &plugins.DomainCall{Name: "pairs", Nodes: []float64{0.1, 0.3, 0.5, 0.7, 0.9}, Args: []plugins.Value{
		{Name: "count", Kind: plugins.KindCount, Number: float64(4 * b.rows)},
	}}
	bytes, begin := 0, time.Now()
	err = session.Expand(ctx, call, func(c *plugins.Chunk) error {
		for _, block := range c.Points {
			bytes += 8 * len(block.Points.Data)
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	return sent, rate(bytes, begin), session.Close()
}

// rate converts bytes and a time to MiB a second.
func rate(bytes int, begin time.Time) float64 {
	return float64(bytes) / (1 << 20) / time.Since(begin).Seconds()
}

// measureRuns times a whole run with the family in process and as a process, in turn.
func (b *pluginBench) measureRuns(ctx context.Context, f *pluginFigures) error {
	dir, err := os.MkdirTemp("", "sipc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	data := filepath.Join(dir, "data.csv")
	if err := os.WriteFile(data, []byte(b.csv()), 0o600); err != nil {
		return err
	}
	program, err := filepath.Abs(b.program)
	if err != nil {
		return err
	}
	if _, err := sipc.AddPlugin(ctx, program, sipc.AddOptions{Dir: dir}); err != nil {
		return err
	}
	var inside, process []float64
	for range b.runs {
		for _, side := range []struct {
			use   string
			times *[]float64
		}{{"use mixup\n", &inside}, {fmt.Sprintf("use mixup from %q\n", program), &process}} {
			seconds, err := timeRun(ctx, dir, side.use, data)
			if err != nil {
				return err
			}
			*side.times = append(*side.times, seconds)
		}
	}
	f.RunInside, f.RunProcess = repeatedOf(inside, slices.Min), repeatedOf(process, slices.Min)
	f.Ratio = f.RunProcess.Best / f.RunInside.Best
	return nil
}

const benchSpec = `data { target kind : class }
kernel     gaussian(width = median)
features   nystrom(landmarks = rows)
invariance mixup = rms over pairs(count = 1n) of max over λ in [0, 1] of |d/dλ f|
regularize mixup
learn      softmax
`

// timeRun measures how long a run takes, from reading the spec to the report.
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

// csv returns data of three classes, smaller than what blocks are measured on: a run does much more with each number.
func (b *pluginBench) csv() string {
	n, p := b.table, max(5, b.features/10)
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
