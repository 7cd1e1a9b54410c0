// Package cache keeps the embeddings of a run, and its passes over rows, in a folder. So a run that was killed goes on where it was:
//
//	cache.json       what the folder is
//	3f/3f0c….rows    what some rows came to, called by the SHA-256 of all that this depends on
//
// That is the results of some right-hand sides, or the sums of a pass up to one of the rows. So nothing has to be said of which run made them: what another
// spec, other data or another program asks for has other names. Results are numbers of float64, little-endian. Behind them stands the SHA-256 of the name and all
// of them. What is damaged is made anew, and so is what has got the name of another.
package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/blocks"
)

const (
	// name is the file by which a folder is known, and content what it holds.
	name    = "cache.json"
	content = "{\"schema\":\"sipc cache of embeddings\",\"version\":1}\n"
	// sameBytes begin the content of all versions.
	sameBytes = len(content) - len("1}\n")
	ending    = ".rows"
	// mode is that of files, less what the process withholds.
	mode = 0o644
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
	raw, err := limits.Read(mark, int64(2*len(content)))
	switch {
	case err == nil && string(raw) == content:
		return &Folder{dir: dir, program: program}, nil
	case err == nil && strings.HasPrefix(string(raw), content[:sameBytes]):
		return nil, &blocks.Error{Path: mark, Problem: "it is of another version", Mend: "name another folder, or remove this one"}
	case err == nil:
		return nil, &blocks.Error{Path: mark, Problem: "it is damaged", Mend: "copy the " + name + " of another such folder to its place, as all are the same, or name another folder"}
	case errors.Is(err, syscall.ENOTDIR):
		return nil, &blocks.Error{Path: dir, Problem: "it is no folder", Mend: "name a new one"}
	case errors.Is(err, fs.ErrPermission):
		return nil, &blocks.Error{Path: dir, Problem: "it may not be read", Mend: "name one that you may read and write"}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &blocks.Error{Path: dir, Problem: "it holds no results of a run: " + err.Error(), Mend: "name a new folder"}
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannot(dir, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(strings.TrimPrefix(e.Name(), "."), name) { // what a process beside this one has begun, or just written
			return nil, &blocks.Error{Path: dir, Problem: "it holds " + e.Name() + ", and no " + name + ", by which results of a run are known", Mend: "name a new folder"}
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
	mend := "make room, or name another folder"
	if errors.Is(err, fs.ErrPermission) {
		mend = "name a folder that you may write"
	}
	return fmt.Errorf("%s: results cannot be kept: %w; %s", dir, err, mend)
}

// least returns the work from which on results are kept.
func (f *Folder) least() float64 { return cmp.Or(f.Least, usualWork) }
