// Package cache keeps the embeddings of a run, and its passes over rows, in a folder, so that a run that was killed goes on where it was:
//
//	cache.json       what the folder is
//	3f/3f0c….rows    the results of some right-hand sides, called by the SHA-256 of all that they depend on
//	a0/a09e….sums    the sums of a pass over rows, up to one of these
//
// So nothing has to be said of which run made them: what another spec, other data or another program asks for has other names. Results are
// numbers of float64, little-endian, a line for each right-hand side. Behind them stands the SHA-256 of the name and all of them. What is damaged is
// made anew, and so is what has got the name of another.
package cache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/blocks"
	"github.com/sipc-ml/sipc/runtime/polar"
)

const (
	// name is the file by which a folder is known, and content what it holds.
	name    = "cache.json"
	content = "{\"schema\":\"sipc cache of embeddings\",\"version\":1}\n"
	ending  = ".rows"
	summed  = ".sums"
	// mode is that of files, less what the process withholds.
	mode = 0o644
	// figures are the numbers of a result that stand before its embedding.
	figures = 7
)

// A Folder keeps results, and passes as an [operator.Keeper]. Several processes may use one.
type Folder struct {
	// Every is the pause of passes; 0 stands for three seconds or more, so that they take little.
	Every time.Duration
	// Least is the work from which on results are kept, in multiplications; 0 stands for a second or so.
	Least float64
	// Window is how many right-hand sides are looked up before the first of them is solved; 0 stands for 4096.
	Window int

	dir, program string
}

// Open returns the folder of a path, which is made where there is none. One that holds anything else is a [blocks.Error]. Another program finds
// nothing of this one's.
func Open(dir, program string) (*Folder, error) {
	mark := filepath.Join(dir, name)
	raw, err := limits.Read(mark, int64(len(content)))
	switch {
	case err == nil && string(raw) == content:
		return &Folder{dir: dir, program: program}, nil
	case err == nil:
		return nil, &blocks.Error{Path: mark, Problem: "it is of another version", Mend: "name another folder, or remove this one"}
	case errors.Is(err, syscall.ENOTDIR):
		return nil, &blocks.Error{Path: dir, Problem: "it is no folder", Mend: "name a new one"}
	case errors.Is(err, fs.ErrPermission):
		return nil, &blocks.Error{Path: dir, Problem: "it may not be read", Mend: "name one that you may read and write"}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &blocks.Error{Path: dir, Problem: "it holds no embeddings of a run: " + err.Error(), Mend: "name a new folder"}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannot(dir, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(strings.TrimPrefix(e.Name(), "."), name) { // what a process beside this one has begun, or just written
			return nil, &blocks.Error{Path: dir, Problem: "it holds " + e.Name() + ", and no " + name + ", by which embeddings of a run are known", Mend: "name a new folder"}
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, cannot(dir, err)
	}
	if err := whole.Write(mark, []byte(content), mode); err != nil {
		return nil, cannot(dir, err)
	}
	return &Folder{dir: dir, program: program}, nil
}

// cannot returns the error of a folder that does not take results, or give them back.
func cannot(dir string, err error) error {
	return fmt.Errorf("%s: results cannot be kept: %w; make room, or name another folder", dir, err)
}

// seal returns the digest that stands behind the results of a key.
func seal(key [sha256.Size]byte, results []byte) [sha256.Size]byte {
	return sha256.Sum256(slices.Concat(key[:], results))
}

// least returns the work from which on results are kept.
func (f *Folder) least() float64 { return cmp.Or(f.Least, usualWork) }

// place returns where the results of a key lie.
func (f *Folder) place(key [sha256.Size]byte, ending string) string {
	text := hex.EncodeToString(key[:])
	return filepath.Join(f.dir, text[:2], text+ending)
}

// Load fills a result with what is kept under a key, and reports whether there is anything. What does not fit, or is damaged, is not there.
func (f *Folder) Load(key [sha256.Size]byte, to *polar.Result) (bool, error) {
	width, size := widths(to)
	path := f.place(key, ending)
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, cannot(f.dir, err)
	case info.Size() != int64(size):
		return false, nil
	}
	raw, err := limits.Read(path, int64(size))
	if err != nil {
		return false, cannot(f.dir, err)
	}
	body := len(raw) - sha256.Size
	if len(raw) != size || seal(key, raw[:body]) != [sha256.Size]byte(raw[body:]) {
		return false, nil
	}
	row := make([]float64, width)
	for i := range to.Gap {
		for j := range row {
			row[j] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*(i*width+j):]))
		}
		set(to, i, row)
	}
	return true, nil
}

// Save keeps a result under a key. Its file appears whole.
func (f *Folder) Save(key [sha256.Size]byte, of *polar.Result) error {
	path := f.place(key, ending)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return cannot(f.dir, err)
	}
	_, size := widths(of)
	raw := bytes.NewBuffer(make([]byte, 0, size))
	for i := range of.Gap {
		_ = binary.Write(raw, binary.LittleEndian, []float64{of.Gap[i], of.Norm2[i], of.Value[i], float64(of.Iterations[i]), float64(of.Newton[i]), of.Work[i], float64(of.Status[i])})
		_ = binary.Write(raw, binary.LittleEndian, of.Iota.RawRowView(i))
		if of.Multipliers != nil {
			_ = binary.Write(raw, binary.LittleEndian, of.Multipliers.RawRowView(i))
		}
	}
	sum := seal(key, raw.Bytes())
	if err := whole.Write(path, append(raw.Bytes(), sum[:]...), mode); err != nil {
		return cannot(f.dir, err)
	}
	return nil
}

// widths returns the numbers of a right-hand side, and the bytes of all of them.
func widths(r *polar.Result) (width, size int) {
	width = figures + columns(r.Iota)
	if r.Multipliers != nil {
		width += columns(r.Multipliers)
	}
	return width, 8*width*len(r.Gap) + sha256.Size
}

// columns returns the columns of a matrix.
func columns(m *mat.Dense) int {
	_, c := m.Dims()
	return c
}

// set fills place i of a result.
func set(to *polar.Result, i int, row []float64) {
	to.Gap[i], to.Norm2[i], to.Value[i] = row[0], row[1], row[2]
	to.Iterations[i], to.Newton[i], to.Work[i], to.Status[i] = int(row[3]), int(row[4]), row[5], polar.Status(row[6])
	rest := row[figures:]
	copy(to.Iota.RawRowView(i), rest)
	if to.Multipliers != nil {
		copy(to.Multipliers.RawRowView(i), rest[columns(to.Iota):])
	}
}
