package limits

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// memoryKey finds the bound of memory in a context.
type memoryKey struct{}

// WithMemory returns a context whose work may take so many bytes.
func WithMemory(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, memoryKey{}, bytes)
}

// toldKey finds who is told of forecasts in a context.
type toldKey struct{}

// WithForecasts returns a context whose forecasts are told to a function, as they are to those of the contexts around it. Refused ones
// are among them.
func WithForecasts(ctx context.Context, told func(needs []Need)) context.Context {
	around := toldOf(ctx)
	return context.WithValue(ctx, toldKey{}, func(needs []Need) {
		around(needs)
		told(needs)
	})
}

// toldOf returns what is told of forecasts in a context.
func toldOf(ctx context.Context) func([]Need) {
	if told, ok := ctx.Value(toldKey{}).(func([]Need)); ok {
		return told
	}
	return func([]Need) {}
}

// Sum returns the bytes of all needs.
func Sum(needs []Need) (sum float64) {
	for _, n := range needs {
		sum += n.Bytes
	}
	return sum
}

// Memory returns how many bytes the work of a context may take. Without WithMemory it is a share of what the machine or its
// cgroup gives.
func Memory(ctx context.Context) int64 {
	if bytes, ok := ctx.Value(memoryKey{}).(int64); ok {
		return bytes
	}
	if given := given("/"); given > 0 {
		return int64(MemoryShare * float64(given))
	}
	return UnknownMemory
}

// given returns the memory of the machine, or of the tightest cgroup around the process, 0 where neither is told.
func given(root string) int64 {
	least := int64(0)
	take := func(bytes int64) {
		if bytes > 0 && (least == 0 || bytes < least) {
			least = bytes
		}
	}
	take(total(path.Join(root, "proc/meminfo")))
	const v1 = "sys/fs/cgroup/memory"
	take(number(path.Join(root, v1, "memory.limit_in_bytes")))
	content, _ := os.ReadFile(path.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(content)) {
		// A line is `number:controllers:folder`; version 2 has no controllers.
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		base, file := path.Join(root, "sys/fs/cgroup"), "memory.max"
		switch part[1] {
		case "":
		case "memory":
			base, file = path.Join(root, v1), "memory.limit_in_bytes"
		default:
			continue
		}
		for folder := path.Clean("/" + part[2]); ; folder = path.Dir(folder) {
			take(number(path.Join(base, folder, file)))
			if folder == "/" {
				break
			}
		}
	}
	return least
}

// total returns the memory of the machine, 0 where it is not told.
func total(meminfo string) int64 {
	file, err := os.Open(meminfo)
	if err != nil {
		return 0
	}
	defer file.Close() //nolint:errcheck // only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// number returns the number in a file, 0 where there is none, as for "max".
func number(file string) int64 {
	content, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(content)), 10, 64)
	if err != nil || n >= math.MaxInt64/2 {
		return 0 // cgroups of version 1 write a huge number for none
	}
	return n
}

// ParseMemory reads a size of memory such as 2GiB, 500MiB or 1.5 GB. It refuses what no work can do with.
func ParseMemory(text string) (int64, error) {
	bytes, err := ParseSize(text)
	if err == nil && bytes < LeastMemory {
		err = fmt.Errorf("%q is too little for any work; write %s at least, such as 500MiB or 2GiB", text, Size(LeastMemory))
	}
	return bytes, err
}

// ParseSize reads a size.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BKMGTbkmgti ")
	units := map[string]float64{
		"b": 1, "": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
	}
	n, err := strconv.ParseFloat(digits, 64)
	unit, known := units[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	switch bytes := n * unit; {
	case err != nil || !known || !(bytes >= 0 && bytes < math.MaxInt64):
		return 0, fmt.Errorf("%q is not a size of memory; write a number and its unit, such as 500MiB or 2GiB", text)
	default:
		return int64(bytes), nil
	}
}

// programBytes is what a program takes at least, its code among it.
const programBytes = 32 << 20

// Taken returns how many bytes the program takes now. Where that is much of what the work of a context may take, garbage is
// collected first.
func Taken(ctx context.Context) float64 {
	taken := resident()
	if taken > float64(Memory(ctx))/4 {
		debug.FreeOSMemory()
		taken = resident()
	}
	return max(programBytes, taken)
}

// resident returns the memory that the program has of the system.
func resident() float64 {
	of := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(of)
	return float64(of[0].Value.Uint64() - of[1].Value.Uint64())
}

// A Need is memory that some work will take.
type Need struct {
	Bytes float64
	What  string // for which things, with their numbers
	Mend  string // how to need less
}

// Check returns a [MemoryError] where needs together are more than the work of a context may take. It names their sum, the
// largest, and how to need less.
func Check(ctx context.Context, needs []Need) error {
	toldOf(ctx)(needs)
	most, sum := Memory(ctx), Sum(needs)
	if sum <= float64(most) {
		return nil
	}
	largest := slices.MaxFunc(needs, func(a, b Need) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return &MemoryError{fmt.Sprintf("this needs about %s of memory, and %s may be taken; most of it, %s, is for %s; %s, or allow more by --max-memory",
		Size(int64(min(sum, math.MaxInt64/2))), Size(most), Size(int64(min(largest.Bytes, math.MaxInt64/2))), largest.What, largest.Mend)}
}

// A MemoryError says that some work was not begun, as it would take more memory than it may.
type MemoryError struct{ text string }

// Error returns the text of the error.
func (e *MemoryError) Error() string { return e.text }
