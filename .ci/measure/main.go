// Measure prints how large and tangled the code is and how its comments and pages read, each beside its target.
// It fails where a figure is worse than its committed bound.
//
//	go run ./.ci/measure            the table; exit status 1 if a bound is broken
//	go run ./.ci/measure -v         with everything that misses a target, worst first
//	go run ./.ci/measure -prose     every sentence and comment against the rules of prose
//	go run ./.ci/measure -prose runtime/gauge docs    those of these folders alone
//	go run ./.ci/measure -update    lowers the bounds to what is reached
//
// The committed bounds lie beside this program: bounds.txt has one line per measure, prose.txt one per folder. A bound
// never rises by itself. After code moved between folders, -update takes the folders' new counts if their sum is no
// larger than before.
//
// # What is measured
//
// Lines of product code are lines of Go files that are neither blank nor comment. Examples count, and so do the
// generators of assembly, which are modules too. These files do not count:
//   - tests (_test.go) and testdata
//   - generated files, which begin with "Code generated"
//   - programs below a folder named internal: families made to fail, which only tests build
//   - the laboratory, which is the module in lab, and trials of sipc-temporal with servers, in dist/temporal/integration
//   - folders that begin with a dot
//
// Methods of a type are all that its pointer has: exported or not, its own or promoted. Methods that another module
// declares do not count, as their number is that module's. Types in generated files are left out.
//
// One file of a package depends on another if it uses a method, field or object of the package's scope that is
// declared there. A cycle is a strongly connected component of this graph. An arrow runs both ways if its reverse is an
// arrow too. The share of such arrows is bounded in packages of more than ten files.
//
// Types of a concept are exported types whose names say that they describe it (see concepts). Aliases and interfaces
// do not count, as an interface is the thing and not its description.
//
// # Prose
//
// Two rules are checked in comments on declarations and packages and in README.md, CONTRIBUTING.md and the pages of
// docs, without those of docs/errors. A function's comment begins with its name and a verb. A sentence has at most 25
// words, where formulas count nothing and code between backquotes counts one. Code
// blocks, tables and headings are not read.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// errBroken ends the program after the table has shown what is wrong.
var errBroken = errors.New("a bound is broken")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	out := bufio.NewWriter(os.Stdout)
	err := run(ctx, out, os.Args[1:])
	if flushErr := out.Flush(); err == nil {
		err = flushErr
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// options are the flags of the command line.
type options struct {
	root, bounds           string
	verbose, prose, update bool
	folders                []string
}

func run(ctx context.Context, out io.Writer, args []string) error {
	var o options
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	flags.StringVar(&o.root, "root", ".", "the folder of the module")
	flags.StringVar(&o.bounds, "bounds", "", "the folder of bounds.txt and prose.txt (default .ci/measure of the module)")
	flags.BoolVar(&o.verbose, "v", false, "list everything that misses a target")
	flags.BoolVar(&o.prose, "prose", false, "list what breaks the rules of prose, of the folders given or of all")
	flags.BoolVar(&o.update, "update", false, "lower the bounds to what is reached")
	if err := flags.Parse(args); err != nil {
		return err
	}
	o.folders = flags.Args()
	if o.bounds == "" {
		o.bounds = o.root + "/.ci/measure"
	}
	tree, err := readTree(o.root)
	if err != nil {
		return err
	}
	faults := tree.proseFaults()
	if o.prose {
		printFaults(out, inFolders(faults, o.folders))
		return nil
	}
	return measureAll(ctx, out, &o, tree, faults)
}

// measureAll prints the table and holds it and the prose to the committed bounds, which it lowers first on request.
func measureAll(ctx context.Context, out io.Writer, o *options, tree *tree, faults []fault) error {
	packages, err := loadPackages(ctx, o.root)
	if err != nil {
		return err
	}
	measures := append(tree.measures(), typedMeasures(packages)...)
	binary, err := binarySize(ctx, o.root)
	if err != nil {
		return err
	}
	measures = append(measures, binary)
	measures = append(measures, proseMeasures(faults)...)
	bounds, err := readBounds(o.bounds)
	if err != nil {
		return err
	}
	if o.update {
		if err := bounds.lower(measures, countFaults(faults)); err != nil {
			return err
		}
		if err := bounds.write(o.bounds); err != nil {
			return err
		}
	}
	printTable(out, measures, bounds, o.verbose)
	if broken := bounds.check(out, measures, faults); broken {
		return errBroken
	}
	return nil
}
