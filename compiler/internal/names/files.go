package names

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/limits"
)

// A fileContent is a file that the spec names, read once.
type fileContent struct {
	bytes    []byte
	err      error
	Taxonomy *tree.Taxonomy
	Graphs   map[string]*tree.GraphFile // by the column of weights
}

// ReadFile reads a file that the spec names, and reports one that cannot be read
// (codes.UnreadableFile). Ok is false then.
func (p *Pass) ReadFile(name string, at diag.Span) ([]byte, bool) {
	f := p.content(name)
	if f.err != nil {
		p.Report(&diag.Diagnostic{Code: codes.UnreadableFile, Subject: at, Summary: name + " cannot be read: " + unreadable(f.err), Mend: "A file is found relative to the spec that names it."})
		return nil, false
	}
	return f.bytes, true
}

// unreadable says why a file cannot be read, in words of our own where there are some.
func unreadable(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, syscall.EISDIR):
		return "it is a folder"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err // the place says which file
	}
	return err.Error()
}

// content returns a file that the spec names, unpacked if it is gzipped. It is read once, so that all passes see the same
// bytes.
func (c *Spec) content(name string) *fileContent {
	if f := c.Files[name]; f != nil {
		return f
	}
	f := &fileContent{}
	if c.opts.ReadFile == nil {
		f.err = errors.New("no files are available here")
	} else {
		f.bytes, f.err = c.opts.ReadFile(name)
	}
	if f.err == nil && bytes.HasPrefix(f.bytes, []byte{0x1f, 0x8b}) {
		f.bytes, f.err = unpacked(f.bytes)
	}
	if !bytes.ContainsRune(f.bytes, '\n') {
		// Lines end in CR alone, as spreadsheets on old Macs write them.
		f.bytes = bytes.ReplaceAll(f.bytes, []byte{'\r'}, []byte{'\n'})
	}
	c.Files[name] = f
	return f
}

// unpacked returns the content of a gzipped file. As for data, its first bytes say so and not its name.
func unpacked(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		packed, err = io.ReadAll(io.LimitReader(r, limits.NamedBytes+1))
	}
	if len(packed) > limits.NamedBytes && err == nil {
		return nil, fmt.Errorf("it unpacks to more than the %s that are read; leave out what the spec does not need", limits.Size(limits.NamedBytes))
	}
	if err != nil {
		return nil, fmt.Errorf("the gzipped data are damaged: %w", err)
	}
	return packed, nil
}
