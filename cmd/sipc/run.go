package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// runHelp says what run does.
const runHelp = `Fit a model to DATA under SPEC, evaluate it on held-out rows, and report the metrics, the certificate of the
embeddings and the value of each invariance on the fit.

DATA is CSV or TSV with a header, Parquet, ARFF, LIBSVM (multilabel too), or a NumPy array or an IDX images file with its labels file beside it; any of
them may be gzipped. Without --test some rows are held out, drawn by the seed. Exit status: 0 done, 1 the work failed, or most
gaps of the training rows (the one gap of method risk or dual) are above what was asked for, 2 the call, the spec or the data cannot be used.
A run that misses its gap, or that --time-limit ended, has written all results all the same; --accept-gap makes its status 0.

--out writes model.sipc, embeddings.npy (of the training rows), test-embeddings.npy, predictions.csv and metrics.json. Methods
risk and dual make no embeddings. Files of these names that are there are replaced, when the run is done and all together; until
then, and if it fails, they stay as they were. Other files in the folder are left alone. With --seeds each seed has a folder of its
own there, seed-0 and so on, and summary.json stands beside them; a seed whose run fails is told of, the others count, and the exit
status is 1.

A gap is relative, and of the squared norm of an embedding: values of f err like its square root. The report bounds by how much
scores do, and names the gap at which that is 1 % of their standard deviation. --gap asks for it; without it method risk goes on
until then, as far as that is cheap.`

func newRun() *cobra.Command {
	var (
		o        sipc.RunOptions
		seed     uint64
		seeds    string
		sets     []string
		asJSON   bool
		method   string
		baseline string
		metrics  string
		rivals   []string
		accept   bool
		trust    bool
		expect   bool
	)
	cmd := &cobra.Command{
		Use:     "run SPEC DATA",
		Short:   "Fit a model to data under a spec, evaluate it and report",
		Long:    runHelp,
		Example: "  sipc run examples/two-digits/two-digits.inv examples/two-digits/digits.csv.gz --baseline plain",
		Args:    cli.Takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRunFlags(cmd, &o, method, baseline, metrics); err != nil {
				return err
			}
			if err := cli.NeedsResults(cmd, o.Out); err != nil {
				return err
			}
			if cmd.Flags().Changed("seed") {
				o.Seed = &seed
			}
			repeated, err := seedsOf(cmd, seeds)
			if err != nil {
				return err
			}
			if o.Rivals, err = rivalsOf(cmd, rivals); err != nil {
				return err
			}
			o.Call, o.Data, o.Method, o.Baseline = append([]string{"sipc"}, os.Args[1:]...), args[1], setting.Method(method), baseline != ""
			return runSpec(cmd, args[0], sets, o, runOutput{json: asJSON, all: metrics == "all", accept: accept, trust: trust, expect: expect, seeds: repeated})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Test, "test", "", "a `file` of test rows; without it some rows of DATA are held out")
	f.StringVar(&o.Out, "out", "", "a `folder` for model.sipc, embeddings, predictions.csv and metrics.json")
	fileFlags(cmd, &o)
	f.StringVar(&o.Embeddings, "embeddings", "", "the `format` of the embeddings in --out: npy, csv or none (default npy where the method makes any)")
	f.Uint64Var(&seed, "seed", 0, "the seed of every draw (default the spec's, else 0)")
	f.StringVar(&seeds, "seeds", "", "run once for each of these `seeds`, 0..9 or 0,3,7, and report means with intervals of 95 % and paired differences")
	f.StringArrayVar(&sets, "set", nil, "override a let of the spec: `NAME=VALUE`; may be repeated")
	f.StringVar(&method, "method", "", "override the spec's `method`: "+strings.Join(runMethods, ", ")+" (default embed, and risk where an invariance is one-sided or embeddings are too many)")
	f.StringVar(&baseline, "baseline", "", "also report a `method` without R on the same rows and features: plain")
	f.StringArrayVar(&rivals, "rival", nil, "also report another `machine` on the same rows, its setting chosen on training rows: "+rivalNames()+"; may be repeated")
	f.Float64Var(&o.Gap, "gap", 0, "the certified relative `gap` that every embedding is to reach (default 1e-3; method risk goes on from there)")
	f.StringVar(&metrics, "metrics", "", "which `figures` the table has: all, those of each class too; without it a few (--json and metrics.json have all)")
	f.BoolVar(&o.Strict, "strict", false, "fail where test rows hold texts or numbers that no training row has")
	cli.AcceptFlag(cmd, &accept)
	f.BoolVar(&expect, "expect", false, "judge the spec's expectations, and exit with status 1 where one is not met")
	f.BoolVar(&trust, "trust", false, "trust the programs that the spec names, and pin them in sipc.lock, as plugin add does")
	f.BoolVar(&asJSON, "json", false, "print one JSON object instead of a table")
	return cmd
}

// fileFlags adds what a run leaves beside its results: --draw, --report, --card and --blocks.
func fileFlags(cmd *cobra.Command, o *sipc.RunOptions) {
	f := cmd.Flags()
	f.StringVar(&o.Draw, "draw", "", "draw the model's curves and surfaces into a `folder`, and a page index.html that shows them")
	f.StringVar(&o.Report, "report", "", "write a page of the run to a `FILE.html` that opens without a network, and a model card FILE.md beside it; method plain is compared with, too")
	f.StringVar(&o.Blocks, "blocks", "", "keep embeddings and sums of passing rows in this `folder`, so that the same command goes on after it was stopped or killed")
	f.StringVar(&o.Card, "card", "", "a `file` for the model card, without --report as well")
}

// unproved returns an error that names the statements which are not proved, and what ended the work before it was done. No flag accepts them: a spec
// that does not require them does.
func unproved(all []report.Requirement, ended string) error {
	text := report.Unproved(all)
	switch {
	case text == "":
		return nil
	case ended != "": // with more time they may be proved as they are
		return fmt.Errorf("%s, and %s: allow more by --time-limit", text, ended)
	}
	return fmt.Errorf("%s; require less of them, or over a smaller region: the report has the worst points", text)
}

// What --method and --embeddings may be.
var (
	runMethods       = words("method")
	embeddingFormats = []string{"npy", "csv", "none"}
)

// words returns the words that may follow one of the language.
func words(before string) (out []string) {
	for _, c := range compiler.Vocabulary()[before] {
		out = append(out, c.Word)
	}
	return out
}

// rivalNames lists the rivals as a flag's help lists them.
func rivalNames() string {
	var names []string
	for _, n := range rival.Names() {
		names = append(names, string(n))
	}
	return strings.Join(names, ", ")
}

// rivalsOf returns the rivals that --rival names. Whether there are such for the spec's target, the run says.
func rivalsOf(cmd *cobra.Command, names []string) (out []sipc.RivalOptions, err error) {
	for _, name := range names {
		if strings.Contains(name, ",") {
			flags := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ',' || r == ' ' }), " --rival ")
			return nil, cli.WrongCall(cmd, fmt.Errorf("--rival is %q; repeat the flag: --rival %s", name, flags))
		}
		out = append(out, sipc.RivalOptions{Name: rival.Name(name)})
	}
	return out, nil
}

func checkRunFlags(cmd *cobra.Command, o *sipc.RunOptions, method, baseline, metrics string) error {
	choices := []struct {
		flag, value string
		allowed     []string
	}{
		{"embeddings", o.Embeddings, append([]string{""}, embeddingFormats...)},
		{"method", method, append([]string{""}, runMethods...)},
		{"baseline", baseline, []string{"", "plain"}},
		{"metrics", metrics, []string{"", "all"}},
	}
	for _, c := range choices {
		if err := oneOf(cmd, c.flag, c.value, c.allowed); err != nil {
			return err
		}
	}
	return cli.CheckGap(cmd, o.Gap)
}

// oneOf makes a flag's value that is not allowed a wrong call.
func oneOf(cmd *cobra.Command, flag, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return cli.WrongCall(cmd, fmt.Errorf("--%s is %q; it may be %s", flag, value, strings.TrimPrefix(strings.Join(allowed, ", "), ", ")))
}

// stoppedRun returns the error of a run. It tells of one that was interrupted what it keeps.
func stoppedRun(cmd *cobra.Command, o *sipc.RunOptions, err error) error {
	if o.Blocks == "" || !cli.Interrupted(cmd.Context(), err) {
		return err
	}
	said := "nothing yet, and the same command begins anew: " + nothingKept
	if found := keptIn(o.Blocks); found > 0 {
		said = fmt.Sprintf("%d files of what was found, and the same command goes on with them", found)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "stopped; %s keeps %s\n", o.Blocks, said)
	return cli.ExitError(cli.ExitFailed)
}

// nothingKept says why a folder keeps nothing.
const nothingKept = "nothing took long enough to be kept, or rows were held"

// keptIn counts the files of what was found in a folder.
func keptIn(folder string) int {
	found, _ := fs.Glob(os.DirFS(folder), "*/*.rows")
	return len(found)
}

// tellKept says that a folder for results on the way got none, if one was named.
func tellKept(w io.Writer, folder string) {
	if folder != "" && keptIn(folder) == 0 {
		fmt.Fprintf(w, "%s keeps nothing: %s\n", folder, nothingKept)
	}
}

// A runOutput says what is run and how it is printed, whether a gap may be missed, and whether programs are trusted.
type runOutput struct {
	json, all, accept, trust, expect bool
	seeds                            []uint64 // under which the spec is run; nil: once
}

func runSpec(cmd *cobra.Command, path string, sets []string, o sipc.RunOptions, as runOutput) error {
	if as.expect && as.seeds != nil {
		return cli.WrongCall(cmd, errors.New("--expect and --seeds are both given; expectations are of one run"))
	}
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return err
	}
	defer progress.Close()
	o.Progress = cli.Follow(progress)
	spec, err := soundSpec(cmd, path, sets, as.trust)
	if err != nil {
		return err
	}
	defer spec.Close() //nolint:errcheck // a plugin that does not end well has done its work
	o.Warn = func(d *diag.Diagnostic) {
		progress.Clear()
		cli.RenderSources(cmd.ErrOrStderr(), spec.Sources(), diag.List{d})
	}
	if as.seeds != nil {
		return runSeeds(cmd, spec, o, as, progress.Clear)
	}
	out, err := sipc.Run(cmd.Context(), spec, o)
	progress.Clear()
	if err != nil {
		return stoppedRun(cmd, &o, err)
	}
	out.All = as.all
	if as.json {
		for _, w := range out.Untold() { // the table holds them itself
			fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
		}
		err = out.WriteJSON(cli.Data(cmd.OutOrStdout()))
	} else {
		err = out.WriteTable(cmd.OutOrStdout())
	}
	tellFiles(cmd.ErrOrStderr(), out)
	tellKept(cmd.ErrOrStderr(), o.Blocks)
	if err != nil {
		return err
	}
	unmet := as.expect && tellUnmet(cmd.ErrOrStderr(), out)
	if err = unproved(out.Required, limits.Ended(cmd.Context())); err == nil && !as.accept {
		err = cli.Missed(cmd.Context(), out.Missed)
	}
	if err == nil && unmet {
		return cli.ExitError(cli.ExitFailed)
	}
	return err
}

// tellUnmet writes a line for each expectation that a run does not meet, and reports whether there is one.
func tellUnmet(w io.Writer, r *report.Report) bool {
	unmet := r.Unmet()
	for _, line := range unmet {
		fmt.Fprintln(w, line)
	}
	return len(unmet) > 0
}

// tellFiles says what a run wrote, and how to go on from there.
func tellFiles(w io.Writer, r *report.Report) {
	if len(r.Pages) > 0 {
		fmt.Fprintf(w, "wrote %s\n", strings.Join(r.Pages, ", "))
	}
	if n := len(r.Pictures); n > 0 {
		fmt.Fprintf(w, "wrote %s and %d pictures that it shows\n", r.Pictures[0], n-1)
	}
	if len(r.Files) == 0 {
		return
	}
	at := slices.IndexFunc(r.Files, func(path string) bool { return filepath.Ext(path) == ".sipc" })
	fmt.Fprintf(w, "wrote %s; sipc explain --model %s shows what is active\n", strings.Join(r.Files, ", "), r.Files[at])
	fmt.Fprintf(w, "%s has the SHA-256 %s\n", r.Files[at], r.ModelSHA256)
	if len(r.Stale) > 0 {
		fmt.Fprintf(w, "note: %s: of an earlier run, not of this one\n", strings.Join(r.Stale, ", "))
	}
}
