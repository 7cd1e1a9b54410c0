package sipc

import (
	"cmp"
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/runtime/cache"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/rival"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// RunOptions say what to run a spec on. Only Data must be given.
type RunOptions struct {
	Data string // the data file
	Test string // a file of test rows; without it some rows of Data are held out
	// Open reads Data and Test; nil stands for dataset.Open. Who runs many specs on the same files may hand out what was read once.
	Open func(ctx context.Context, path string) (*dataset.Table, error)
	Out  string // a folder for the model, the embeddings and the metrics; empty: none is written
	Draw string // a folder for pictures of the model, see Draw; empty: none are drawn
	// Report is a file that ends in .html, for a page of the run; a model card with the ending .md appears beside it. Empty: none is written.
	// The page compares f with the function that knows of no statement, so that Baseline is set.
	Report string
	Card   string   // a file for the model card alone; empty: where Report says
	Call   []string // the arguments that a page names to repeat the run; it may be nil
	// Embeddings is the format in which Out gets them: "npy", "csv" or "none". Empty means "npy" where the method makes any. Methods risk and
	// dual make none, and refuse the first two.
	Embeddings string
	// Whole trains on all rows of Data: numbers of rows that the spec draws do not count. Without Test there are no test rows then. The report
	// has no figures of them, and neither Out, Baseline nor Rivals may be asked for.
	Whole bool
	// Keep lets the model keep what one in Out keeps: witnesses of invariances, and rows for pictures.
	Keep   bool
	Seed   *uint64        // overrides the spec's; without either it is 0
	Method setting.Method // overrides the spec's
	// Baseline runs method plain on the same rows and features also.
	Baseline bool
	// Strict makes test rows that hold what no training row does an error.
	Strict bool
	// Rivals are fitted to the same rows also.
	Rivals []RivalOptions
	// Unmeasured leaves out the values of R at the function that predicts, the shares of rows that break it, and witnesses. Under method
	// embed measuring them may take longer than the fit. The report has no value then.
	Unmeasured bool
	// Warn is told of each diagnostic of the spec on the data, as soon as it is known; it may be nil. The report holds them too,
	// on a line each.
	Warn func(*diag.Diagnostic)
	// Gap is the certified gap to reach. 0 is model.DefaultGap, from which method risk goes on where scores may be far off.
	Gap float64
	// MaxIterations bounds what the fit may take to reach it, see model.Options; rivals have a bound of their own. 0 means the solvers' own
	// bounds.
	MaxIterations int
	Progress      func(stage string, done, total int)

	// Blocks is a folder that keeps embeddings as they are found, and sums of rows that pass by. A run of the same problem goes on with them.
	// Empty keeps none. See package cache.
	Blocks string

	cache *cache.Folder  // of Blocks
	drawn *setting.Drawn // the rows of Data in place of the spec's split; nil leaves that to the spec
	asked bool           // for embeddings, so that the method is to make them
}

// An EmbeddingsError is the wish for embeddings under a method that makes none.
type EmbeddingsError struct {
	Method setting.Method
	Blocks bool // they were to be kept, for a run to go on with them
}

// Error says which method makes them, and what there is instead.
func (e *EmbeddingsError) Error() string {
	if e.Blocks {
		return fmt.Sprintf("a run by method %s begins anew after it was stopped: leave out the folder of blocks, which serves methods embed and risk", e.Method)
	}
	return fmt.Sprintf("method %s makes no embeddings: it learns f on the features φ; method embed makes them, "+
		"and sipc embed --features writes φ(x)", e.Method)
}

// askEmbeddings refuses embeddings that are asked for and that the method does not make. It asks for them where nobody says otherwise.
func (o *RunOptions) askEmbeddings(spec *Spec) error {
	method := cmp.Or(o.Method, spec.Plan.At(nil).Method)
	o.asked = o.Blocks != ""
	switch {
	case o.Blocks != "" && method.Direct() && method != setting.Risk:
		return &EmbeddingsError{Method: method, Blocks: true}
	case o.Out == "":
	case o.Embeddings == "" && method.Embeds():
		o.Embeddings = "npy"
	case o.Embeddings == "npy" || o.Embeddings == "csv":
		if o.asked = true; !method.Embeds() {
			return &EmbeddingsError{Method: method}
		}
	}
	return nil
}

// RivalOptions say how a rival is fitted.
type RivalOptions struct {
	Name rival.Name
	// Setting is taken as it is; nil chooses one on training rows held out.
	Setting *rival.Setting
	Pairs   int // that mixup draws; 0 stands for 4 a row
	// By names the figure that settings are compared by; empty is the usual of the task.
	By string
	// MaxIterations bounds the work of each fit; 0 stands for 1000. See rival.Options.
	MaxIterations int
}
