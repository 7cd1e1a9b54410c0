package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lab/bench"
)

// A polarBench is a call of `sipc-lab bench polar`.
type polarBench struct {
	options   bench.Options
	kinds     []string
	problem   string   // a file to take instead of building one
	compare   []string // commands of rivals
	rounds    int
	square    int
	asJSON    bool
	table     bool
	counts    []int // right-hand sides in the table
	multiples []int // pairs in the table, in rows
	alone     bool  // measure one problem in this very process
}

// polarFigures is what `sipc-lab bench polar --json` prints.
type polarFigures struct {
	Machine      bench.Machine        `json:"machine"`
	Seed         uint64               `json:"seed"`
	Measurements []*bench.Measurement `json:"measurements,omitempty"`
	Comparisons  []*bench.Comparison  `json:"comparisons,omitempty"`
}

func newBenchPolar() *cobra.Command {
	var b polarBench
	cmd := &cobra.Command{
		Use:   "polar [FOLDER]",
		Short: "The polar solver: embeddings a second, gaps, share of the machine's rate, memory; beside rivals",
		Long: `Pose problems of three kinds on the data in FOLDER and solve them, each in a process of its own:

  mixup      derivatives along paths between digits, ten classes   FOLDER/mnist, idx files
  transform  fours and nines turned, scaled and shifted            FOLDER/mnist
  logic      implications and exclusions of a taxonomy             FOLDER/wipo, LIBSVM and hierarchy.txt

FOLDER may also be the folder mnist or wipo itself, for the kinds that need no other. Files:

  mnist  ` + bench.Digits.Wanted() + `
  wipo   ` + bench.Topics.Wanted() + `

Test files are not read. With --problem the problem is that of a file as sipc polar reads it. Time counts from the operator to the last embedding, the
factorizations and the features of right-hand sides in it; reading and other features are not. What takes less than a second is done twice, and the second time counts. The share of the machine's rate is the time that the
solver's matrix products would take as fast as products of square matrices of order 2000 in the same process, over the time it took.

--compare runs another program on the same problem file in turn. Its words may hold {problem}, {gap} and {rhs}; the last line
that it prints is a JSON object with seconds_per_rhs, reached and of, and may have value, a list of optimal values.`,
		Example: `  sipc-lab bench polar data --n 300 --gap 1e-4
  sipc-lab bench polar --problem mixup.json --compare 'python3 rival.py {problem} --gap {gap} --rhs 4'
  sipc-lab bench polar data --table --kinds mixup`,
		Args: cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.check(cmd, args); err != nil {
				return err
			}
			return b.run(cmd)
		},
	}
	b.flags(cmd)
	return cmd
}

func (b *polarBench) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&b.options.N, "n", 200, "training rows, which the invariances are about")
	f.IntVar(&b.options.Pairs, "pairs", 0, "pairs of rows of the kind mixup (default 4n)")
	f.IntVar(&b.options.Rank, "rank", 0, "landmarks: features per label (default n)")
	f.IntVar(&b.options.Labels, "labels", 10, "labels of the kind logic, the first of the taxonomy")
	f.IntVar(&b.options.RHS, "rhs", 256, "right-hand sides, made of other rows; of a file the first so many (default all)")
	f.Float64Var(&b.options.Alpha, "alpha", 0.01, "the weight of ‖V‖² beside R(V)²")
	f.Float64Var(&b.options.Gap, "gap", 1e-4, "the certified relative `gap` to reach")
	f.BoolVar(&b.options.WholePaths, "whole-paths", false, "certify maxima over whole paths, with as many nodes as the gap needs, not over the nodes")
	f.Uint64Var(&b.options.Seed, "seed", 0, "the seed of every draw")
	f.StringSliceVar(&b.kinds, "kinds", kindNames(), "the kinds of problem")
	f.StringVar(&b.problem, "problem", "", "take the problem of this `file`, build none")
	f.StringArrayVar(&b.compare, "compare", nil, "a rival's `command`; may be repeated")
	f.IntVar(&b.rounds, "rounds", 3, "with --compare: how often all have their turn")
	f.IntVar(&b.square, "square", bench.DefaultSquare, "order of the matrices that the machine's rate is measured with")
	f.BoolVar(&b.table, "table", false, "solve for growing numbers of right-hand sides and of pairs, and print a Markdown table")
	f.IntSliceVar(&b.counts, "counts", []int{100, 1000, 10000}, "with --table: the numbers of right-hand sides")
	f.IntSliceVar(&b.multiples, "multiples", []int{1, 2, 4}, "with --table: the numbers of pairs of the kind mixup, over n")
	f.BoolVar(&b.asJSON, "json", false, "print one JSON object")
	f.BoolVar(&b.alone, "alone", false, "measure one problem in this process")
	_ = f.MarkHidden("alone") // there is such a flag
}

func kindNames() []string {
	var names []string
	for _, k := range bench.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// buildFlags say how a problem is built, which a file does not need.
var buildFlags = []string{"n", "pairs", "rank", "labels", "alpha", "whole-paths", "seed", "kinds", "table"}

// check makes what is wrong with the call a wrong call.
func (b *polarBench) check(cmd *cobra.Command, args []string) error {
	if err := cli.CheckGap(cmd, b.options.Gap); err != nil {
		return err
	}
	err := b.checkTogether(len(args) > 0)
	switch {
	case err != nil:
	case b.problem != "":
		err = b.checkFile(cmd)
	default:
		b.options.Folder = args[0]
		err = b.checkBuild()
	}
	if err != nil {
		return cli.WrongCall(cmd, err)
	}
	return nil
}

// checkTogether refuses flags that do not go together.
func (b *polarBench) checkTogether(folder bool) error {
	switch {
	case !folder && b.problem == "":
		return errors.New("name the folder of the data, or a problem file by --problem")
	case folder && b.problem != "":
		return errors.New("there is a folder and a --problem; name one of them")
	case b.table && len(b.compare) > 0:
		return errors.New("--table and --compare cannot go together")
	case b.options.WholePaths && len(b.compare) > 0:
		return errors.New("--whole-paths and --compare cannot go together: a problem file has nodes")
	case b.square < 1:
		return fmt.Errorf("--square is %d; it must be at least 1", b.square)
	case b.rounds < 1:
		return fmt.Errorf("--rounds is %d; it must be at least 1", b.rounds)
	}
	return nil
}

func (b *polarBench) checkFile(cmd *cobra.Command) error {
	for _, name := range buildFlags {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s says how a problem is built, and --problem gives one that is", name)
		}
	}
	if !cmd.Flags().Changed("rhs") {
		b.options.RHS = 0 // all
	} else if b.options.RHS < 1 {
		return fmt.Errorf("--rhs is %d; it must be at least 1", b.options.RHS)
	}
	return nil
}

func (b *polarBench) checkBuild() error {
	if err := b.options.Check(); err != nil {
		return err
	}
	if len(b.kinds) == 0 {
		return errors.New("--kinds names none; there are mixup, transform and logic")
	}
	for _, name := range b.kinds {
		if _, err := bench.ParseKind(name); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		flag   string
		values []int
	}{{"counts", b.counts}, {"multiples", b.multiples}} {
		if len(list.values) > 0 && slices.Min(list.values) < 1 {
			return fmt.Errorf("--%s holds %d; its numbers must be at least 1", list.flag, slices.Min(list.values))
		}
	}
	return nil
}

func (b *polarBench) run(cmd *cobra.Command) error {
	if b.alone {
		return b.here(cmd)
	}
	out := &polarFigures{Machine: bench.ThisMachine(), Seed: b.options.Seed}
	for _, j := range b.jobs() {
		var err error
		if len(b.compare) > 0 {
			err = b.compareOne(cmd, j, out)
		} else {
			err = j.child(cmd, b.square, out)
		}
		if err != nil {
			return err
		}
		if !b.asJSON {
			out.printLast(cmd.OutOrStdout(), b.table)
		}
	}
	if b.asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(out)
	}
	return nil
}

// A job is one problem to be measured.
type job struct {
	kind    bench.Kind
	file    string // of kind FromFile
	options bench.Options
}

// jobs returns the problems to measure, for a table in the order of its lines.
func (b *polarBench) jobs() []job {
	if b.problem != "" {
		return []job{{bench.FromFile, b.problem, b.options}}
	}
	var list []job
	for _, name := range b.kinds {
		kind := bench.Kind(name)
		if !b.table {
			list = append(list, job{kind, "", b.options})
			continue
		}
		for _, count := range b.counts {
			o := b.options
			o.RHS = count
			list = append(list, job{kind, "", o})
		}
		for _, multiple := range b.multiples {
			o := b.options
			o.Pairs = multiple * o.N
			if kind == bench.Mixup {
				list = append(list, job{kind, "", o})
			}
		}
	}
	return list
}

// pose sets the problem up.
func (j *job) pose(cmd *cobra.Command) (*bench.Problem, error) {
	if j.kind != bench.FromFile {
		return bench.Build(cmd.Context(), j.kind, j.options)
	}
	p, err := bench.Open(cmd.Context(), j.file)
	if err != nil {
		return nil, err
	}
	if err := p.Limit(j.options.RHS); err != nil {
		return nil, err
	}
	return p, nil
}

// here measures the only problem in this process.
func (b *polarBench) here(cmd *cobra.Command) error {
	list := b.jobs()
	if len(list) != 1 {
		return cli.WrongCall(cmd, errors.New("--alone measures one problem"))
	}
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return err
	}
	defer progress.Close()
	show := cli.Follow(progress)
	progress.Stage("build the problem")
	p, err := list[0].pose(cmd)
	if err != nil {
		return err
	}
	m, err := bench.Measure(cmd.Context(), p, bench.Settings{
		Gap: b.options.Gap, Square: b.square, Progress: func(done, total int) { show(p.About.Name, done, total) },
	})
	progress.Clear()
	if err != nil {
		return err
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(m)
}

// compareOne runs the rivals on a problem's file, which is written if there is none.
func (b *polarBench) compareOne(cmd *cobra.Command, j job, out *polarFigures) error {
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return err
	}
	defer progress.Close()
	path := j.file
	if j.kind != bench.FromFile {
		dir, err := os.MkdirTemp("", "sipc-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		progress.Stage("build the problem")
		p, err := j.pose(cmd)
		if err != nil {
			return err
		}
		path = filepath.Join(dir, string(j.kind)+".json")
		progress.Stage("write the problem")
		if err := p.Write(cmd.Context(), path); err != nil {
			return err
		}
	}
	c, err := bench.Compare(cmd.Context(), path, bench.CompareOptions{
		Gap: b.options.Gap, RHS: j.options.RHS, Commands: b.compare, Rounds: b.rounds, Progress: progress.Stage,
	})
	if err != nil {
		return err
	}
	out.Comparisons = append(out.Comparisons, c)
	return nil
}
