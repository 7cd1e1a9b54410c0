package sipc

import (
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/runtime/model"
)

// A sink writes embeddings to a file as they are computed. The file appears when it is kept, and not at all otherwise. A nil
// sink takes nothing.
type sink struct {
	file *renameio.PendingFile
	buf  *bufio.Writer
	csv  bool
	row  []byte
}

// newEmbeddingSink begins a file of rows×perRow embeddings: NPY (version 1.0 of NumPy's format, float64 in C order, of shape
// rows×dim, or rows×perRow×dim where perRow > 1), or CSV with a line for each embedding.
func newEmbeddingSink(path string, rows, perRow, dim int) (*sink, error) {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return nil, err
	}
	s := &sink{file: file, buf: bufio.NewWriterSize(file, 1<<20), csv: strings.EqualFold(filepath.Ext(path), ".csv")}
	if s.csv {
		return s, nil
	}
	shape := fmt.Sprintf("(%d, %d)", rows, dim)
	if perRow > 1 {
		shape = fmt.Sprintf("(%d, %d, %d)", rows, perRow, dim)
	}
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape)
	const preamble = 10
	header += strings.Repeat(" ", 63-(preamble+len(header))%64) + "\n"
	_, err = s.buf.WriteString("\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header)
	return s, err
}

// write adds the embeddings of a part.
func (s *sink) write(p model.Part) error {
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
func (s *sink) add(iota []float64) error {
	s.row = s.row[:0]
	for j, v := range iota {
		switch {
		case !s.csv:
			s.row = binary.LittleEndian.AppendUint64(s.row, math.Float64bits(v))
			continue
		case j > 0:
			s.row = append(s.row, ',')
		}
		s.row = strconv.AppendFloat(s.row, v, 'g', -1, 64)
	}
	if s.csv {
		s.row = append(s.row, '\n')
	}
	_, err := s.buf.Write(s.row)
	return err
}

// keep makes the file appear.
func (s *sink) keep() error {
	if s == nil {
		return nil
	}
	if err := s.buf.Flush(); err != nil {
		return err
	}
	return s.file.CloseAtomicallyReplace()
}

// discard takes away what was not kept.
func (s *sink) discard() {
	if s != nil {
		_ = s.file.Cleanup() // of a file that was kept there is nothing left to take away
	}
}

// The files in the folder of RunOptions.Out.
const (
	modelFile       = "model.sipc"
	metricsFile     = "metrics.json"
	predictionsFile = "predictions.csv"
)

// newSink begins the file of the test rows' embeddings, if one is wanted, and makes the folder.
func (r *runner) newSink() (*sink, error) {
	if r.o.Out == "" {
		return nil, nil //nolint:nilnil // a nil sink takes nothing
	}
	if err := os.MkdirAll(r.o.Out, 0o755); err != nil {
		return nil, err
	}
	if r.o.Embeddings == "none" {
		return nil, nil //nolint:nilnil // a nil sink takes nothing
	}
	rep := r.fitting.Model.Represent
	return newEmbeddingSink(r.embeddingsPath("test-embeddings"), r.prepared.Test.Len(), rep.PerRow(), rep.Dim())
}

func (r *runner) embeddingsPath(name string) string {
	ext := ".npy"
	if r.o.Embeddings == "csv" {
		ext = ".csv"
	}
	return filepath.Join(r.o.Out, name+ext)
}

// write fills the folder of the run.
func (r *runner) write() error {
	if r.o.Out == "" {
		return nil
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.sink != nil {
		if err := r.writeTraining(); err != nil {
			return err
		}
		if err := r.sink.keep(); err != nil {
			return err
		}
	}
	p := newPredictions(r.fitting.Model, r.prepared.Test, r.result.scores)
	if err := writeFile(filepath.Join(r.o.Out, predictionsFile), p.WriteCSV); err != nil {
		return err
	}
	if err := r.fitting.Model.Save(filepath.Join(r.o.Out, modelFile)); err != nil {
		return err
	}
	return writeFile(filepath.Join(r.o.Out, metricsFile), r.report.WriteJSON)
}

// writeTraining writes the embeddings of the training rows.
func (r *runner) writeTraining() error {
	rep, n := r.fitting.Model.Represent, r.prepared.Train.Len()
	s, err := newEmbeddingSink(r.embeddingsPath("embeddings"), n, rep.PerRow(), rep.Dim())
	if err != nil {
		return err
	}
	defer s.discard()
	var iota []float64
	for i := range n * rep.PerRow() {
		if i%1024 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		iota = r.fitting.Iota(iota[:0], i)
		if err := s.add(iota); err != nil {
			return err
		}
	}
	return s.keep()
}

// writeFile makes a file appear whole.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer file.Cleanup() //nolint:errcheck // after the replacement there is nothing to clean up
	if err := write(file); err != nil {
		return err
	}
	return file.CloseAtomicallyReplace()
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
