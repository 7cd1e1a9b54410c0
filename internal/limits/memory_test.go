package limits

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tightest of machine and cgroups counts, in either version of cgroups.
func TestGivenMemory(t *testing.T) {
	const meminfo = "MemFree: 7 kB\nMemTotal:  8192 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing":  {nil, 0},
		"machine":  {map[string]string{"proc/meminfo": meminfo}, 8 << 20},
		"no bound": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 8 << 20},
		"above":    {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "3000000\n"}, 3000000},
		"version 1": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:cpu:/x\n3:memory:/a\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "5000000\n",
		}, 5000000},
	} {
		root := t.TempDir()
		for path, content := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := given(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestParseMemory(t *testing.T) {
	const none, little = "is not a size of memory; write a number and its unit, such as 500MiB or 2GiB", "is too little for any work; write 64 MiB at least"
	for text, want := range map[string]int64{"2GiB": 2 << 30, "500MiB": 500 << 20, "1.5 GiB": 3 << 29, "1TB": 1e12, "67108864": 64 << 20} {
		if got, err := ParseMemory(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": none, "GiB": none, "-2GiB": none, "2XB": none, "nan": none, "NaNGiB": none, "1e30GiB": none, "2 G i B": none,
		"0": little, "2": little, "10MB": little, "63MiB": little,
	} {
		if got, err := ParseMemory(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}

// A refusal names the sum, the largest need, and how to need less.
func TestNeedsAreChecked(t *testing.T) {
	needs := []Need{{1 << 30, "rows", "draw fewer"}, {3 << 30, "labels", "use fewer labels"}, {1 << 29, "", ""}}
	if err := Check(WithMemory(context.Background(), 5<<30), needs); err != nil {
		t.Error(err)
	}
	const want = "this needs about 4.5 GiB of memory, and 4 GiB may be taken; most of it, 3 GiB, is for labels; use fewer labels, or allow more by --max-memory"
	if err := Check(WithMemory(context.Background(), 4<<30), needs); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	if got := Memory(context.Background()); got < LeastMemory {
		t.Errorf("%d bytes without a flag", got)
	}
}

// Contexts around one another are all told of forecasts, refused ones too.
func TestForecastsAreTold(t *testing.T) {
	var told []string
	tell := func(name string) func([]Need) {
		return func(needs []Need) { told = append(told, name+" "+Size(int64(Sum(needs)))) }
	}
	ctx := WithForecasts(WithForecasts(WithMemory(context.Background(), 2<<30), tell("outer")), tell("inner"))
	passes := Check(ctx, []Need{{Bytes: 1 << 30}, {Bytes: 1 << 29}})
	fails := Check(ctx, []Need{{Bytes: 3 << 30, What: "rows"}})
	if got := strings.Join(told, ", "); passes != nil || fails == nil || got != "outer 1.5 GiB, inner 1.5 GiB, outer 3 GiB, inner 3 GiB" {
		t.Errorf("%s; %v, %v", got, passes, fails)
	}
}
