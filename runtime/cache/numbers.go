package cache

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sipc-ml/sipc/internal/whole"
)

const (
	// usualPause is the time after which a pass is kept again. That is at least so many pauses times what it takes to keep it.
	usualPause, pauses = 3 * time.Second, 50
	// atOnce is how many numbers of a pass are read or written at once.
	atOnce = 1 << 13
)

// Pause returns the time after which a pass is kept again, where it took so long to keep it.
func (f *Folder) Pause(took time.Duration) time.Duration {
	return cmp.Or(f.Every, max(usualPause, pauses*took))
}

// Keep keeps numbers under a key. Their file appears whole.
func (f *Folder) Keep(key [sha256.Size]byte, parts ...[]float64) error {
	key = f.named(key)
	path := f.place(key)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return cannot(f.dir, err)
	}
	file, err := whole.New(path, mode)
	if err != nil {
		return cannot(f.dir, err)
	}
	defer file.Discard()
	out, sum := bufio.NewWriterSize(file, 8*atOnce), sealing(key)
	to := io.MultiWriter(out, sum)
	for _, part := range parts {
		for some := range slices.Chunk(part, atOnce) {
			if err := binary.Write(to, binary.LittleEndian, some); err != nil {
				return cannot(f.dir, err)
			}
		}
	}
	_, failed := out.Write(sum.Sum(nil))
	if err := cmp.Or(failed, out.Flush()); err != nil {
		return cannot(f.dir, err)
	}
	if err := whole.Keep(file); err != nil {
		return cannot(f.dir, err)
	}
	return nil
}

// named returns the key that this program has for one.
func (f *Folder) named(key [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(f.program), key[:]...))
}

// sealing returns a hash of the digest that stands behind the numbers of a key.
func sealing(key [sha256.Size]byte) hash.Hash {
	sum := sha256.New()
	sum.Write(key[:])
	return sum
}

// Restore fills parts with what is kept under a key, and reports whether there is anything. What does not fit, or is damaged, is not there. The file is
// read twice, so that a damaged one sets nothing.
func (f *Folder) Restore(key [sha256.Size]byte, parts ...[]float64) (bool, error) {
	key = f.named(key)
	size := int64(sha256.Size)
	for _, part := range parts {
		size += 8 * int64(len(part))
	}
	path := f.place(key)
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, cannot(f.dir, err)
	case !info.Mode().IsRegular() || info.Size() != size:
		return false, nil
	}
	file, err := os.Open(path) //nolint:gosec // a place in the folder
	if err != nil {
		return false, cannot(f.dir, err)
	}
	defer file.Close() //nolint:errcheck // it was read alone
	switch intact, err := sealed(file, key, size); {
	case err != nil:
		return false, cannot(f.dir, err)
	case !intact:
		return false, nil
	}
	in := bufio.NewReaderSize(file, 8*atOnce)
	for _, part := range parts {
		for some := range slices.Chunk(part, atOnce) {
			if err := binary.Read(in, binary.LittleEndian, some); err != nil {
				return false, cannot(f.dir, err)
			}
		}
	}
	return true, nil
}

// sealed reports whether a file has its digest behind so many bytes less that. It is read from its beginning afterwards.
func sealed(file io.ReadSeeker, key [sha256.Size]byte, size int64) (bool, error) {
	sum, behind := sealing(key), make([]byte, sha256.Size)
	_, read := io.CopyN(sum, file, size-sha256.Size)
	_, ended := io.ReadFull(file, behind)
	_, again := file.Seek(0, io.SeekStart)
	return bytes.Equal(sum.Sum(nil), behind), cmp.Or(read, ended, again)
}

// place returns where the results of a key lie.
func (f *Folder) place(key [sha256.Size]byte) string {
	text := hex.EncodeToString(key[:])
	return filepath.Join(f.dir, text[:2], text+ending)
}
