// Package blocks does work in blocks of rows. It can be killed anywhere and gone on with, or be spread over processes and machines. What a
// block computes is none of its affair: a function of the block's inputs, whose bytes are the same whoever computes them. A folder holds all of it:
//
//	plan.json          what is done, each block's rows, and the digests of its inputs
//	model.sipc         what all blocks read, if they do
//	in/000012.rows     an input of block 12
//	out/000012.part    an output of it
//	out/000012.json    its receipt, with the digests of its outputs
//
// The plan appears after all inputs, and a receipt after all outputs, each file whole or not at all. So whoever finds a receipt has a block
// that is done. Outputs of all blocks are joined in the order of rows.
package blocks

import (
	"bytes"
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
	"regexp"
	"slices"
	"syscall"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
)

// A Plan says what is done, and by which blocks. New, Share, Add and Save make one, Open reads it.
type Plan struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	// Program is what computes the blocks: those of another one may have other bytes, and are refused.
	Program string             `json:"program"`
	Job     json.RawMessage    `json:"job"` // for those who do it
	Shared  map[string]Content `json:"shared,omitempty"`
	Outputs []string           `json:"outputs"` // what each block has
	Blocks  []Block            `json:"blocks"`

	dir, sum string
}

// A Block is a run of rows. The first row is 0.
type Block struct {
	First  int                `json:"first"`
	Rows   int                `json:"rows"`
	Inputs map[string]Content `json:"inputs"`
}

// A Content is what a file holds: how many bytes, and their SHA-256 in hexadecimal.
type Content struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// An Error is a file of a folder of blocks that cannot be used.
type Error struct{ Path, Problem, Mend string }

// Error names the file, what is wrong, and how to mend it.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s; %s", e.Path, e.Problem, e.Mend) }

// A MachineError is an [Error] that may be of this machine alone: another one may well use the file.
type MachineError struct{ of *Error }

// Error says what the [Error] does.
func (e *MachineError) Error() string { return e.of.Error() }

// Unwrap returns the [Error].
func (e *MachineError) Unwrap() error { return e.of }

// PlanFile is the name of the plan in its folder.
const PlanFile = "plan.json"

const (
	schema  = "sipc blocks"
	version = 1
	inputs  = "in"
	outputs = "out"
	receipt = "json" // how the name of a receipt ends, as those of outputs do
	// mode is that of files, less what the process withholds.
	mode = 0o644
	// anew is how to mend inputs.
	anew = "name another folder, or remove this one and plan again"
)

// New begins a plan in a folder, whose blocks have the given outputs. Where the folder has a plan, the error is [fs.ErrExist]. It must hold no
// results of another one.
func New(dir, program string, results ...string) (*Plan, error) {
	if err := free(dir); err != nil {
		return nil, err
	}
	for _, folder := range []string{inputs, outputs} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, err
		}
	}
	p := &Plan{Schema: schema, Version: version, Program: program, Shared: map[string]Content{}, Outputs: results, dir: dir}
	left, err := os.ReadDir(filepath.Join(dir, outputs))
	if _, there := os.Lstat(p.Path(PlanFile)); there == nil { // not before: with results comes a plan
		return nil, fs.ErrExist
	}
	if err == nil && len(left) > 0 {
		err = &Error{filepath.Join(dir, outputs), "it holds results of a plan that is gone", anew}
	}
	return p, err
}

// free returns an error where a folder holds what no plan has left: files of that might be written over. What a killed process has left begins with the
// folders of a plan.
func free(dir string) error {
	entries, err := os.ReadDir(dir)
	switch info, stat := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case stat == nil && !info.IsDir():
		return &Error{dir, "it is no folder, and a plan needs a folder", "name a new one"}
	case err != nil:
		return err
	}
	if begun(dir, entries) {
		return nil
	}
	folders := 0
	for _, e := range entries {
		if e.IsDir() && (e.Name() == inputs || e.Name() == outputs) {
			folders++
		}
	}
	for _, e := range entries {
		if e.Name() != PlanFile && (folders < 2 || e.IsDir() && e.Name() != inputs && e.Name() != outputs) {
			return &Error{dir, fmt.Sprintf("it holds %s and no plan of blocks", e.Name()), "name a new folder"}
		}
	}
	return nil
}

// begun reports whether a folder has nothing but an empty one of a plan: whoever begins beside this process makes one after the other.
func begun(dir string, entries []fs.DirEntry) bool {
	if len(entries) != 1 || entries[0].Name() != inputs && entries[0].Name() != outputs {
		return false
	}
	held, err := os.ReadDir(filepath.Join(dir, entries[0].Name()))
	return err == nil && len(held) == 0
}

// Share copies a file into the folder, for all blocks to read.
func (p *Plan) Share(ctx context.Context, name, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	p.Shared[name], err = write(p.Path(name), func(w io.Writer) error {
		_, err := io.Copy(w, limits.Until(ctx, file))
		return err
	})
	return err
}

// Add writes the inputs of the next block.
func (p *Plan) Add(rows int, in map[string]func(io.Writer) error) (err error) {
	b := Block{Rows: rows, Inputs: map[string]Content{}}
	if last := len(p.Blocks) - 1; last >= 0 {
		b.First = p.Blocks[last].First + p.Blocks[last].Rows
	}
	for name, content := range in {
		if b.Inputs[name], err = write(p.input(len(p.Blocks), name), content); err != nil {
			return err
		}
	}
	p.Blocks = append(p.Blocks, b)
	return nil
}

// Save lets the plan appear, with its job as JSON. Where another process saved one meanwhile, that stays, and the error is [fs.ErrExist].
func (p *Plan) Save(job any) (err error) {
	if p.Job, err = json.Marshal(job); err != nil {
		return err
	}
	raw, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	p.sum = digest(raw)
	f, err := whole.New(p.Path(PlanFile), mode)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(raw); err != nil {
		return err
	}
	return f.KeepNew()
}

// Open reads the plan of a folder, which is to be one of this program. Where there is none, the error is [fs.ErrNotExist].
func Open(dir, program string) (*Plan, error) {
	p := &Plan{dir: dir}
	raw, err := limits.Read(p.Path(PlanFile), limits.PlanBytes)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // New says what is wrong with such a folder
		return nil, fs.ErrNotExist
	}
	if err == nil {
		err = strict(raw, p)
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, &Error{p.Path(PlanFile), "this is no plan of blocks: " + err.Error(), anew}
	}
	if p.Program != program {
		return nil, &MachineError{&Error{p.Path(PlanFile), fmt.Sprintf("it was planned by %s, and this is %s, whose bytes may differ", p.Program, program), "go on with that one; where --blas differs, give all --blas NAME, and plan again; or " + anew}}
	}
	p.sum = digest(raw)
	return p, nil
}

// word is what inputs and outputs are called: a part of the name of a file.
var word = regexp.MustCompile(`^[a-z]+$`)

// check returns an error where a plan contradicts itself.
func (p *Plan) check() error {
	if p.Schema != schema || p.Version != version {
		return fmt.Errorf("its schema is %q, version %d; this program knows %q, version %d", p.Schema, p.Version, schema, version)
	}
	if len(p.Blocks) == 0 {
		return errors.New("it has no blocks")
	}
	for i, name := range p.Outputs {
		if name == receipt || slices.Contains(p.Outputs[:i], name) {
			return fmt.Errorf("its outputs are %q", p.Outputs)
		}
	}
	rows, names := 0, p.Outputs
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if b.First != rows || b.Rows <= 0 {
			return fmt.Errorf("block %d has %d rows from row %d on, and row %d is next", i, b.Rows, b.First, rows)
		}
		rows += b.Rows
		for name := range b.Inputs {
			names = append(names[:len(names):len(names)], name)
		}
	}
	for _, name := range names {
		if !word.MatchString(name) {
			return fmt.Errorf("%q is no name of an input or output", name)
		}
	}
	return nil
}

// Rows returns the number of rows of all blocks.
func (p *Plan) Rows() int {
	last := p.Blocks[len(p.Blocks)-1]
	return last.First + last.Rows
}

// SHA256 returns the digest of plan.json, which receipts name.
func (p *Plan) SHA256() string { return p.sum }

// Path returns where a file of the folder lies.
func (p *Plan) Path(name string) string { return filepath.Join(p.dir, name) }

func (p *Plan) input(i int, name string) string {
	return filepath.Join(p.dir, inputs, fmt.Sprintf("%06d.%s", i, name))
}

func (p *Plan) output(i int, name string) string {
	return filepath.Join(p.dir, outputs, fmt.Sprintf("%06d.%s", i, name))
}

// strict reads JSON without unknown fields.
func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
