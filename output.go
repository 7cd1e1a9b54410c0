package sipc

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
)

// A sink writes embeddings to a file as they are computed. The file appears when it is kept, and not at all otherwise. A nil
// sink takes nothing.
type sink struct {
	path    string
	file    *whole.File
	buf     *bufio.Writer
	csv     *csv.Writer // nil for a file that is none
	caption func(to []string, k int) []string
	written int // how many embeddings
	row     []byte
	cells   []string
}

// The endings of files of embeddings.
const (
	npyEnding = ".npy"
	csvEnding = ".csv"
)

// An EmbeddingsFileError is a name for a file of embeddings whose ending is of no format that is written.
type EmbeddingsFileError struct{ Path string }

// Error says what can be written.
func (e *EmbeddingsFileError) Error() string {
	return fmt.Sprintf("%s: embeddings are written as NPY or CSV; let the name end in %s or %s", e.Path, npyEnding, csvEnding)
}

// newEmbeddingSink begins a file of embeddings, and writes its head.
func newEmbeddingSink(path string, c *caption, dim int) (*sink, error) {
	ending, err := endingOf(path)
	if err != nil {
		return nil, err
	}
	file, err := whole.New(path, resultMode)
	if err != nil {
		return nil, cannotWrite(err)
	}
	s := newLines(file, ending, c.cells)
	s.path, s.file = path, file
	_, err = s.buf.Write(headOf(ending, c, dim))
	return s, err
}

// endingOf returns the ending of a file of embeddings, which says its format.
func endingOf(path string) (string, error) {
	ending := strings.ToLower(filepath.Ext(path))
	if ending != npyEnding && ending != csvEnding {
		return "", &EmbeddingsFileError{path}
	}
	return ending, nil
}

// newLines returns a sink that writes embeddings and no head. In CSV cells appends what stands before embedding k.
func newLines(w io.Writer, ending string, cells func(to []string, k int) []string) *sink {
	s := &sink{buf: bufio.NewWriterSize(w, 1<<20), caption: cells}
	if ending == csvEnding {
		s.csv = csv.NewWriter(s.buf)
	}
	return s
}

// headOf returns what stands before all embeddings. NPY is version 1.0 of NumPy's format, float64 in C order, of shape
// rows×dim, or rows×perRow×dim if perRow > 1. CSV has a header and a line for each embedding, which begins with its
// caption.
func headOf(ending string, c *caption, dim int) []byte {
	if ending == csvEnding {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		_ = w.Write(c.header(dim)) // to memory
		w.Flush()
		return b.Bytes()
	}
	shape := fmt.Sprintf("(%d, %d)", c.set.Len(), dim)
	if c.perRow > 1 {
		shape = fmt.Sprintf("(%d, %d, %d)", c.set.Len(), c.perRow, dim)
	}
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
	const preamble = 10
	header += strings.Repeat(" ", 63-(preamble+len(header))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), header...)
}

// write adds the embeddings of a part.
func (s *sink) write(p represent.Batch) error {
	if s == nil {
		return nil
	}
	for i := range p.Gap {
		if err := s.add(p.Iota.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}

// add adds one embedding.
func (s *sink) add(row []float64) error {
	if s.csv != nil {
		s.cells = appendNumbers(s.caption(s.cells[:0], s.written), row)
		s.written++
		return cannotWrite(s.csv.Write(s.cells))
	}
	s.row = appendBits(s.row[:0], row)
	_, err := s.buf.Write(s.row)
	return cannotWrite(err)
}

// appendBits appends numbers as float64, little-endian.
func appendBits(to []byte, row []float64) []byte {
	for _, v := range row {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	return to
}

// flush writes what is still in memory.
func (s *sink) flush() error {
	if s.csv != nil {
		s.csv.Flush()
		if err := s.csv.Error(); err != nil {
			return err
		}
	}
	return s.buf.Flush()
}

// appear lets files appear, none before every byte of all of them is written. So a full disk leaves the results of an earlier
// run as they were.
func appear(sinks ...*sink) error {
	var files []*whole.File
	for _, s := range sinks {
		if err := s.flush(); err != nil {
			return cannotWrite(err)
		}
		files = append(files, s.file)
	}
	return cannotWrite(whole.Keep(files...))
}

// cannotWrite returns an error, and says how to mend it where it is one of writing a file.
func cannotWrite(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return dataset.CannotWrite(at.Path, at)
	}
	return err
}

// discard takes away what was not kept.
func (s *sink) discard() {
	if s != nil {
		s.file.Discard()
	}
}

// resultMode is that of files of results, less what the process withholds.
const resultMode = 0o644

// The files in the folder of RunOptions.Out.
const (
	modelFile       = "model.sipc"
	metricsFile     = "metrics.json"
	predictionsFile = "predictions.csv"
	trainingName    = "embeddings" // and an ending
	testName        = "test-embeddings"
)

// An outlet is the folder of a run: its files are written aside, and appear together when the run is done.
type outlet struct {
	dir   string
	made  string // the first folder that had to be made for it, if any
	ext   string // of embeddings, empty where none are wanted
	files []*sink
}

// openOutlet tries the folder, so that one that cannot be written is known before any work; nil where none is wanted.
func openOutlet(s *Spec, o RunOptions) (*outlet, error) {
	if o.Out == "" {
		return nil, nil //nolint:nilnil // a nil outlet takes nothing
	}
	out := &outlet{dir: o.Out, ext: map[string]string{"npy": npyEnding, "csv": csvEnding}[o.Embeddings]}
	if err := KeepsInputs(append(out.everyEmbeddings(), out.others()...), o.Data, o.Test, s.Path, s.data().Unlabelled.File); err != nil {
		return nil, err
	}
	if missing := firstMissing(o.Out); missing != "" {
		err := out.canMake(missing)
		return out, err
	}
	if err := out.makeFolder(); err != nil { // where it is none
		return nil, err
	}
	if err := out.free(); err != nil {
		return nil, err
	}
	for _, path := range out.everyEmbeddings() {
		whole.Sweep(path) // of an earlier run, which may have had other methods
	}
	probe, err := whole.New(filepath.Join(o.Out, metricsFile), resultMode)
	if err != nil {
		return nil, fmt.Errorf("%s: the folder for the results cannot be written: %w; name another with --out", o.Out, err)
	}
	probe.Discard()
	return out, nil
}

// KeepsInputs returns an error where a file to be written is one that is read, by whatever names. Files that are not named are "".
func KeepsInputs(written []string, read ...string) error {
	return keepsFrom("--out", written, read...)
}

// keepsFrom does what KeepsInputs does, for files that a flag names.
func keepsFrom(flag string, written []string, read ...string) error {
	inputs := map[string]bool{}
	for _, path := range read {
		if path != "" {
			inputs[limits.Identity(path)] = true
		}
	}
	for _, path := range written {
		if path != "" && inputs[limits.Identity(path)] {
			return fmt.Errorf("%s: this file is read, and %s would write in its place; name another with %[2]s", path, flag)
		}
	}
	return nil
}

// canMake tries another folder where the first that is missing would be. The folder itself is made with its first file, since a process may
// be ended before.
func (o *outlet) canMake(missing string) error {
	if _, err := os.Lstat(o.dir); err != nil && !errors.Is(err, fs.ErrNotExist) { // its name may be too long
		return o.cannotMake(err)
	}
	probe, err := os.MkdirTemp(filepath.Dir(missing), ".sipc-")
	if err != nil {
		return o.cannotMake(&fs.PathError{Op: "mkdir", Path: missing, Err: errors.Unwrap(err)})
	}
	return os.Remove(probe)
}

// makeFolder makes the folder as far as it is missing.
func (o *outlet) makeFolder() error {
	if missing := firstMissing(o.dir); missing != "" {
		o.made = missing
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return o.cannotMake(err)
	}
	return nil
}

// cannotMake returns the error of a folder that cannot be made.
func (o *outlet) cannotMake(err error) error {
	return fmt.Errorf("%s: the folder for the results cannot be made: %w; name another with --out", o.dir, err)
}

// firstMissing returns the topmost folder of a path that does not exist, or "".
func firstMissing(path string) string {
	missing := ""
	for p := filepath.Clean(path); ; p = filepath.Dir(p) {
		if _, err := os.Lstat(p); err == nil || filepath.Dir(p) == p {
			return missing
		}
		missing = p
	}
}

// free fails where something else than a file stands in the place of a result. That is told before any work.
func (o *outlet) free() error {
	paths := o.others()
	if o.ext != "" {
		paths = append(paths, filepath.Join(o.dir, trainingName+o.ext), filepath.Join(o.dir, testName+o.ext))
	}
	for _, path := range paths {
		if err := whole.Check(path); err != nil {
			return cannotWrite(err)
		}
	}
	return nil
}

// everyEmbeddings returns the paths of embeddings in every format.
func (o *outlet) everyEmbeddings() (paths []string) {
	for _, name := range []string{trainingName, testName} {
		for _, ending := range []string{npyEnding, csvEnding} {
			paths = append(paths, filepath.Join(o.dir, name+ending))
		}
	}
	return paths
}

// others returns the paths of results that are not embeddings.
func (o *outlet) others() []string {
	return []string{filepath.Join(o.dir, modelFile), filepath.Join(o.dir, metricsFile), filepath.Join(o.dir, predictionsFile)}
}

// discard takes away what was not kept, and the folders that were made and hold nothing.
func (o *outlet) discard() {
	if o == nil {
		return
	}
	for _, s := range o.files {
		s.discard()
	}
	for p := filepath.Clean(o.dir); o.made != ""; p = filepath.Dir(p) {
		if err := os.Remove(p); err != nil || p == o.made { // a folder that holds something stays
			return
		}
	}
}

// embeddings begins a file of embeddings, if they are wanted and made.
func (o *outlet) embeddings(name string, set *dataset.Set, rep *represent.Representer) (*sink, error) {
	if o == nil || o.ext == "" || !rep.Method.Embeds() {
		return nil, nil //nolint:nilnil // a nil sink takes nothing
	}
	if err := o.makeFolder(); err != nil {
		return nil, err
	}
	s, err := newEmbeddingSink(filepath.Join(o.dir, name+o.ext), &caption{set: set, perRow: rep.PerRow(), numbers: embeddingNumbers}, rep.Dim())
	if err != nil {
		return nil, err
	}
	o.files = append(o.files, s)
	return s, nil
}

// largeEmbeddings is the size of embeddings from which on a report says how to leave them out.
const largeEmbeddings = 256 << 20

// hintLarge returns how to leave embeddings out where those of so many rows take much space. It is empty elsewhere.
func (o *outlet) hintLarge(rep *represent.Representer, rows int) string {
	if o == nil || o.ext == "" || !rep.Method.Embeds() {
		return ""
	}
	return tellLarge(o.ext, 8*int64(rows)*int64(rep.PerRow())*int64(rep.Dim()))
}

// tellLarge returns how to leave out embeddings of so many bytes, in files of an ending. It is empty where they are few.
func tellLarge(ext string, size int64) string {
	if size < largeEmbeddings {
		return ""
	}
	return fmt.Sprintf("%s%s and %s%s hold %s of numbers; --embeddings none leaves them out", trainingName, ext, testName, ext, limits.Size(size))
}

// add writes a file aside.
func (o *outlet) add(name string, write func(io.Writer) error) error {
	if err := o.makeFolder(); err != nil {
		return err
	}
	path := filepath.Join(o.dir, name)
	file, err := whole.New(path, resultMode)
	if err != nil {
		return cannotWrite(err)
	}
	s := &sink{path: path, file: file, buf: bufio.NewWriter(file)}
	o.files = append(o.files, s)
	return cannotWrite(write(s.buf))
}

// written returns the files of the folder. It also returns embeddings of an earlier run there that this one did not
// replace.
func (o *outlet) written() (files, stale []string) {
	made := map[string]bool{}
	for _, s := range o.files {
		made[s.path] = true
		files = append(files, s.path)
	}
	for _, path := range o.everyEmbeddings() {
		if _, err := os.Stat(path); err == nil && !made[path] {
			stale = append(stale, path)
		}
	}
	slices.Sort(files)
	return files, stale
}

// write fills the folder of a run, and lets its files appear.
func (o *outlet) write(ctx context.Context, f *findings, rep *report.Report) error {
	if o == nil {
		return nil
	}
	if err := o.writeTraining(ctx, f); err != nil {
		return err
	}
	p := newPredictions(f.fitting.Model, f.rows.Test, f.scores)
	var err error
	if p.Standing, err = standings(ctx, f.fitting.Model, f.rows.Test, f.scores, f.rows.stage("prove scores of test rows")); err != nil {
		return err
	}
	sum := sha256.New()
	writeModel := func(w io.Writer) error { return f.fitting.Model.Write(io.MultiWriter(w, sum)) }
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{predictionsFile, p.WriteCSV}, {modelFile, writeModel}, {metricsFile, rep.Reproducible().WriteJSON}} {
		if err := o.add(file.name, file.write); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := appear(o.files...); err != nil {
		return err
	}
	rep.Files, rep.Stale = o.written()
	rep.ModelSHA256 = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// writeTraining writes the embeddings of the training rows.
func (o *outlet) writeTraining(ctx context.Context, f *findings) error {
	rep := f.fitting.Model.Represent
	s, err := o.embeddings(trainingName, f.rows.Train, rep)
	if err != nil || s == nil {
		return err
	}
	var row []float64
	for i := range f.rows.Train.Len() * rep.PerRow() {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row = f.fitting.Iota(row[:0], i)
		if err := s.add(row); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes a header and a line for each row.
func (p *Predictions) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(p.header()); err != nil {
		return err
	}
	for i := range p.ID {
		if err := c.Write(p.line(i)); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
