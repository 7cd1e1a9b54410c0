package paged

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sipc-ml/sipc/internal/limits"
)

// files are the arrays of a store that are files. Nothing in them leads to their store, so that it ends when nobody holds it.
type files struct {
	sync.Mutex
	of    map[*float64]*mapped // by their first number
	begun sync.Once
	ended chan struct{}
}

// A mapped array is a file, and where it lies.
type mapped struct {
	file  *os.File
	bytes []byte
}

// New returns an empty store, whose arrays are files from a length on.
func New(least int) *Store {
	s := &Store{least, &files{of: map[*float64]*mapped{}, ended: make(chan struct{})}}
	runtime.AddCleanup(s, (*files).end, s.files)
	return s
}

// grow moves an array to where n numbers find room; one in memory becomes a file. It returns nil where there is no room.
func (f *files) grow(from []float64, n int) []float64 {
	f.Lock()
	defer f.Unlock()
	var m *mapped
	if len(from) > 0 {
		m = f.of[&from[0]]
	}
	if m == nil {
		return f.begin(from, n)
	}
	if reserve(m.file, 8*n) != nil {
		return nil
	}
	moved, err := unix.Mremap(m.bytes, 8*n, unix.MREMAP_MAYMOVE)
	if err != nil {
		return nil
	}
	delete(f.of, &from[0])
	m.bytes = moved
	return f.add(m)[:len(from)]
}

// has reports whether an array is one of these.
func (f *files) has(numbers []float64) bool {
	f.Lock()
	defer f.Unlock()
	return f.of[&numbers[0]] != nil
}

// begin makes a file of an array.
func (f *files) begin(from []float64, n int) []float64 {
	file, err := os.CreateTemp("", "sipc-rows-")
	if err != nil {
		return nil
	}
	m := &mapped{file: file}
	_ = os.Remove(file.Name()) // it ends with its last user, also where that is killed
	if err = reserve(file, 8*n); err == nil {
		m.bytes, err = unix.Mmap(int(file.Fd()), 0, 8*n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		_ = file.Close()
		return nil
	}
	f.begun.Do(func() { go f.letGo() })
	out := f.add(m)
	copy(out, from)
	return out[:len(from)]
}

// mostOfFree is the share of what is free on the disk that an array may take. Beside it leftFree bytes are left.
const mostOfFree, leftFree = 0.25, 4 << 30

// inPlace are the file systems, by their magic numbers, that write a page where it is reserved: ext4, XFS, and overlays. Most overlays are made of these. Other
// systems may lack room for a second writing, or be memory.
var inPlace = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC}

// reserve gives a file its bytes on the disk. A page that lacks its room when it is written would end the program.
func reserve(file *os.File, size int) error {
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(file.Fd()), &disk); err != nil {
		return err
	}
	free := float64(disk.Bavail) * float64(disk.Bsize)
	if !slices.Contains(inPlace, int64(disk.Type)) || //nolint:unconvert // of 32 bits on some processors
		float64(size) > mostOfFree*free || free-float64(size) < leftFree {
		return unix.ENOSPC
	}
	return unix.Fallocate(int(file.Fd()), 0, 0, int64(size))
}

// add notes an array, and returns it with all its room.
func (f *files) add(m *mapped) []float64 {
	first := (*float64)(unsafe.Pointer(&m.bytes[0])) //nolint:gosec // pages begin at multiples of eight
	f.of[first] = m
	return unsafe.Slice(first, len(m.bytes)/8) //nolint:gosec // as above
}

// between is how long pages are read between two looks at how many they are.
const between = 10 * time.Millisecond

// letGo lets pages go where more than [limits.PagedBytes] are in memory, until the store ends. Who looks at one again finds it in the file.
func (f *files) letGo() {
	tick := time.NewTicker(between)
	defer tick.Stop()
	for {
		select {
		case <-f.ended:
			return
		case <-tick.C:
		}
		if resident() <= limits.PagedBytes {
			continue
		}
		f.Lock()
		for _, m := range f.of {
			_ = unix.Madvise(m.bytes, unix.MADV_DONTNEED)
		}
		f.Unlock()
	}
}

// resident returns how many bytes of files are mapped and in memory, the program's own among them; 0 where the system does not tell.
func resident() int {
	content, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(content)
	if err != nil || len(fields) < 3 {
		return 0
	}
	pages, _ := strconv.Atoi(string(fields[2]))
	return pages * os.Getpagesize()
}

// drop gives an array back.
func (f *files) drop(numbers []float64) {
	f.Lock()
	defer f.Unlock()
	m := f.of[&numbers[0]]
	delete(f.of, &numbers[0])
	m.close()
}

// end gives all back.
func (f *files) end() {
	close(f.ended)
	f.Lock()
	defer f.Unlock()
	for _, m := range f.of {
		m.close()
	}
	clear(f.of)
}

// close gives the pages and the file back.
func (m *mapped) close() {
	_ = unix.Munmap(m.bytes)
	_ = m.file.Close()
}
