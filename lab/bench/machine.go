package bench

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"github.com/sipc-ml/sipc/runtime/blas"
)

// A Machine says where a measurement was made.
type Machine struct {
	CPU   string   `json:"cpu"` // empty where the system does not say
	Procs int      `json:"procs"`
	OS    string   `json:"os"`
	Arch  string   `json:"arch"`
	Go    string   `json:"go"`
	BLAS  string   `json:"blas"`  // what did the products
	Tiers []string `json:"tiers"` // what could have
}

// ThisMachine describes the machine.
func ThisMachine() Machine {
	return Machine{
		CPU: processor(), Procs: runtime.GOMAXPROCS(0), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(),
		BLAS: blas.Name(), Tiers: blas.Tiers(),
	}
}

// processor returns the name of the processor where Linux says it.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
