package sipc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/blas"
	"github.com/sipc-ml/sipc/runtime/blocks"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// A BlockOptions says what of rows is planned in blocks.
type BlockOptions struct {
	Rows     int    // of a block; 0 means those of the plan that is there, else DefaultBlockRows
	Features bool   // the features φ(x) in place of embeddings
	Ending   string // of the file that the blocks make: .npy or .csv
	Strict   bool   // rows that hold what no training row does are an error
	// Within says that this process computes all blocks. It reads the data each time that it goes on, and the folder gets no rows.
	Within bool
}

// DefaultBlockRows is how many rows a block has. At the end of a block the solver iterates on few rows at a time, which costs more with smaller ones.
const DefaultBlockRows = 16 * represent.BlockRows

// A RowBlocks is a plan of embeddings or features of rows, with the model that makes them. Their bytes are those of EmbedRows and FeatureRows.
type RowBlocks struct {
	Plan  *blocks.Plan
	Model *model.Model
	// Progress is told how far rows are, where it is not nil.
	Progress func(done, total int)

	job rowJob
	rep *represent.Representer
	set *dataset.Set // all rows; nil where the folder has those of each block
	one sync.Mutex   // who computes: rep serves one at a time, with all processors
}

// A rowJob is what a plan of rows holds for its blocks.
type rowJob struct {
	rowRequest
	Path     string           `json:"model"` // of the model and of the data, from the root
	Data     string           `json:"data"`
	Columns  int              `json:"columns"` // of prepared rows
	Head     []byte           `json:"head"`    // of the file that is made
	Warnings []string         `json:"warnings,omitempty"`
	Unseen   []dataset.Unseen `json:"unseen,omitempty"`
}

// A rowRequest is what was asked for. Equal ones make equal plans.
type rowRequest struct {
	Model    string `json:"model_sha256"`
	Rows     string `json:"data_sha256"`
	Labels   string `json:"labels"` // the name of the file of labels beside the data, empty where there is none
	LabelSum string `json:"labels_sha256"`
	Features bool   `json:"features"`
	Ending   string `json:"ending"`
	Strict   bool   `json:"strict"`
	Each     int    `json:"rows"` // of a block
}

// What the blocks of rows read and write.
const (
	rowsInput     = "rows"     // prepared rows, float64, little-endian
	captionsInput = "captions" // what stands before each line of CSV, in JSON
	partOutput    = "part"     // of the file that is made
	gapsOutput    = "gaps"     // of embeddings, float64, little-endian
)

// planAnew is how to mend a folder that holds something else.
const planAnew = "name another folder, or remove this one and plan again"

// executable returns the digest of the program's file, as a source that was changed has no name of its own. It is empty where the file cannot be read.
var executable = sync.OnceValue(func() string {
	path, _ := os.Executable()
	raw, err := os.ReadFile(path) //nolint:gosec // the program itself
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
})

// program says what computes: another build, or another linear algebra, may make other bytes.
func program() string {
	build := Version
	if revision := Revision(); revision != "" {
		build += " of " + revision
		if strings.HasSuffix(revision, dirty) {
			build += " " + executable()
		}
	}
	return fmt.Sprintf("sipc %s for %s with --blas %s", build, runtime.GOARCH, blas.Name())
}

// PlanRows plans the embeddings or features of all rows of a data file under a model, read from the given path. It reads and prepares the
// rows, and leaves all that blocks need in a folder. Where that has the plan already, it is taken as it is; another one is an error.
func PlanRows(ctx context.Context, m *model.Model, path, data, dir string, o BlockOptions) (*RowBlocks, error) {
	if !o.Features && !m.Represent.Method.Embeds() {
		return nil, &EmbeddingsError{Method: m.Represent.Method}
	}
	if _, err := endingOf(o.Ending); err != nil {
		return nil, err
	}
	if info, err := os.Stat(data); o.Within && err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, &blocks.Error{Path: data, Problem: "this is " + limits.Kind(info.Mode()) + ", and no file", Mend: "blocks read the data again; write it to a file"}
	}
	request := rowRequest{Model: m.SHA256, Features: o.Features, Ending: o.Ending, Strict: o.Strict, Each: o.Rows}
	plan, err := blocks.Open(dir, program())
	if errors.Is(err, fs.ErrNotExist) {
		first := request
		first.Each = cmp.Or(o.Rows, DefaultBlockRows)
		b, failed := newRowBlocks(ctx, m, dir, &rowJob{rowRequest: first, Path: path, Data: data}, o.Within)
		if !errors.Is(failed, fs.ErrExist) {
			return b, failed
		}
		plan, err = blocks.Open(dir, program()) // of another process, which was faster
	}
	if err != nil {
		return nil, err
	}
	return goOn(ctx, m, plan, data, request, o.Within)
}

// goOn takes a plan that is there, if it is of what is asked for.
func goOn(ctx context.Context, m *model.Model, plan *blocks.Plan, data string, request rowRequest, within bool) (*RowBlocks, error) {
	b, err := withModel(plan, m)
	if err != nil {
		return nil, err
	}
	request.Labels, request.Each = b.job.Labels, cmp.Or(request.Each, b.job.Each)
	if request.Rows, err = FileSum(ctx, data); err == nil && request.Labels != "" {
		request.LabelSum, err = FileSum(ctx, filepath.Join(filepath.Dir(data), request.Labels))
	}
	if err == nil {
		err = b.job.differs(plan, &request)
	}
	if err == nil && !hasRows(&plan.Blocks[0]) {
		if !within {
			return nil, b.without()
		}
		if b.set, err = openFor(ctx, m, data, request.Strict); err != nil {
			return nil, err
		}
		if rows, columns := b.set.X.Dims(); rows != plan.Rows() || columns != b.job.Columns {
			return nil, b.contradicts()
		}
	}
	return b, err
}

// newRowBlocks writes a plan and its inputs.
func newRowBlocks(ctx context.Context, m *model.Model, dir string, job *rowJob, within bool) (*RowBlocks, error) {
	table, err := openData(ctx, job.Data)
	if err != nil {
		return nil, err
	}
	set, err := rowsFor(ctx, m, table, job.Strict)
	if err != nil {
		return nil, err
	}
	if most := (set.Len() + job.Each - 1) / job.Each; most > limits.Blocks {
		return nil, &blocks.Error{Path: job.Data, Problem: fmt.Sprintf("its rows make %d blocks, and there may be %d", most, int(limits.Blocks)), Mend: "take more --rows for a block"}
	}
	c, err := job.fill(m, table, set)
	if err != nil {
		return nil, err
	}
	plan, err := blocks.New(dir, program(), job.outputs()...)
	if err != nil {
		return nil, cannotWrite(err)
	}
	if err := plan.Share(ctx, modelFile, job.Path); err != nil {
		return nil, cannotWrite(err)
	}
	if err := addRows(ctx, plan, job, c, within); err != nil {
		return nil, cannotWrite(err)
	}
	if err := plan.Save(job); err != nil {
		return nil, cannotWrite(err)
	}
	b, err := ofModel(plan, m)
	if err == nil && within {
		b.set = set
	}
	return b, err
}

// fill notes what is known of the rows, and returns what captions them.
func (j *rowJob) fill(m *model.Model, table *dataset.Table, set *dataset.Set) (_ *caption, err error) {
	for _, path := range []*string{&j.Path, &j.Data} { // blocks may be merged from another folder
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	j.Rows, j.LabelSum = table.SHA256, table.LabelsSHA256
	if table.LabelsPath != "" {
		j.Labels = filepath.Base(table.LabelsPath)
	}
	_, j.Columns = set.X.Dims()
	j.Warnings, j.Unseen = set.Warnings, set.Unseen
	rep := j.represents(m)
	c := &caption{set: set, perRow: rep.PerRow(), numbers: embeddingNumbers}
	if j.Features {
		c.numbers = featureNumbers
	}
	j.Head = headOf(j.Ending, c, rep.Dim())
	return c, nil
}

// represents returns what embeds rows, or takes their features.
func (j *rowJob) represents(m *model.Model) *represent.Representer {
	if j.Features {
		return featuresOf(m)
	}
	return m.Represent
}

// outputs names what each block makes. Features are exact, and have no gaps.
func (j *rowJob) outputs() []string {
	if j.Features {
		return []string{partOutput}
	}
	return []string{partOutput, gapsOutput}
}

// hasRows reports whether a block has its rows as an input.
func hasRows(b *blocks.Block) bool { _, ok := b.Inputs[rowsInput]; return ok }

// without returns the error of a plan that is for one process.
func (b *RowBlocks) without() error {
	return &blocks.Error{Path: b.Plan.Path(""), Problem: "its blocks have no rows for tasks, as sipc embed --blocks planned them", Mend: "go on with that, or plan in another folder"}
}

// Warnings returns those of reading the data.
func (b *RowBlocks) Warnings() []string { return b.job.Warnings }

// Sources returns the paths of the model and the data as they were when the rows were planned, and of labels beside the data.
func (b *RowBlocks) Sources() []string {
	paths := []string{b.job.Path, b.job.Data}
	if b.job.Labels != "" {
		paths = append(paths, filepath.Join(filepath.Dir(b.job.Data), b.job.Labels))
	}
	return paths
}

// addRows adds the blocks, each with its rows, and in CSV with what stands before its lines. Within a process they have no inputs.
func addRows(ctx context.Context, plan *blocks.Plan, job *rowJob, c *caption, within bool) error {
	for lo := 0; lo < c.set.Len(); lo += job.Each {
		hi := min(lo+job.Each, c.set.Len())
		in := map[string]func(io.Writer) error{}
		if !within {
			in[rowsInput] = func(w io.Writer) error { return writeRowsOf(c.set, lo, hi, w) }
		}
		if !within && job.Ending == csvEnding {
			in[captionsInput] = func(w io.Writer) error { return json.NewEncoder(w).Encode(c.lines(lo, hi)) }
		}
		if err := cmp.Or(ctx.Err(), plan.Add(hi-lo, in)); err != nil {
			return err
		}
	}
	return nil
}

// writeRowsOf writes prepared rows lo … hi−1.
func writeRowsOf(set *dataset.Set, lo, hi int, w io.Writer) error {
	var raw []byte
	for i := lo; i < hi; i++ {
		raw = appendBits(raw[:0], set.X.RawRowView(i))
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}

// OpenRowBlocks reads a plan of rows, and the model in its folder.
func OpenRowBlocks(ctx context.Context, dir string) (*RowBlocks, error) {
	plan, err := blocks.Open(dir, program())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &blocks.Error{Path: dir, Problem: "it holds no plan of blocks", Mend: "sipc plan MODEL DATA --folder " + dir + " makes one"}
	}
	if err != nil {
		return nil, err
	}
	m, err := LoadModel(ctx, plan.Path(modelFile))
	if err != nil {
		return nil, err
	}
	return ofModel(plan, m)
}

// ofModel joins a plan and the model of its folder.
func ofModel(plan *blocks.Plan, m *model.Model) (*RowBlocks, error) {
	b, err := withModel(plan, m)
	if err == nil && (m.SHA256 != b.job.Model || m.SHA256 != plan.Shared[modelFile].SHA256 || len(m.About.Preparation.Columns()) != b.job.Columns) {
		err = &blocks.Error{Path: plan.Path(modelFile), Problem: "it is not the model of the plan", Mend: planAnew}
	}
	return b, err
}

// withModel joins a plan and its model.
func withModel(plan *blocks.Plan, m *model.Model) (*RowBlocks, error) {
	b := &RowBlocks{Plan: plan, Model: m}
	if err := json.Unmarshal(plan.Job, &b.job); err != nil {
		return nil, &blocks.Error{Path: plan.Path(""), Problem: "its plan is not one of rows: " + err.Error(), Mend: planAnew}
	}
	if !slices.Equal(plan.Outputs, b.job.outputs()) {
		return nil, b.contradicts()
	}
	b.rep = b.job.represents(m)
	return b, nil
}

// FileSum returns the SHA-256 of a file.
func FileSum(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", dataset.CannotOpen(path, err)
	}
	defer file.Close() //nolint:errcheck // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, limits.Until(ctx, file)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// differs returns an error where a plan is not of what is asked for.
func (j *rowJob) differs(plan *blocks.Plan, asked *rowRequest) error {
	made := map[bool]string{false: "embeddings", true: "features"}
	for _, c := range [][3]string{
		{"it makes", made[j.Features], made[asked.Features]},
		{"the SHA-256 of its model is", j.Model, asked.Model},
		{"the SHA-256 of its data is", j.Rows, asked.Rows},
		{"the SHA-256 of its labels is", j.LabelSum, asked.LabelSum},
		{"the file that it makes ends in", j.Ending, asked.Ending},
		{"the rows of a block are", strconv.Itoa(j.Each), strconv.Itoa(asked.Each)},
		{"--strict is", strconv.FormatBool(j.Strict), strconv.FormatBool(asked.Strict)},
	} {
		if c[1] != c[2] {
			return &blocks.Error{Path: plan.Path(""), Problem: fmt.Sprintf("its plan is another one: %s %s, and %s here", c[0], c[1], c[2]), Mend: "name another folder, or remove this one"}
		}
	}
	return nil
}
