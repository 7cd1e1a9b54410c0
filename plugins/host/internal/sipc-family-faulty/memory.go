package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// eat takes more memory than it may, or with children that share it just seems to.
func eat(what string) {
	switch what {
	case "hog":
		hog()
	case "brood":
		brood(5, "")
		time.Sleep(time.Hour)
	case "family":
		brood(5, sharedFile())
		time.Sleep(2 * time.Second)
	}
}

// holding is how much memory a child of a brood holds; each may, all together may not.
const holding = 64 << 20

// brood starts children that each hold memory: of its own, or what a file has that all share.
func brood(n int, shared string) {
	for range n {
		start(&exec.Cmd{Path: "/proc/self/exe", Env: append(os.Environ(), "SIPC_HOLD=1", "SIPC_SHARED="+shared)})
	}
}

// hold holds memory.
func hold() {
	path := os.Getenv("SIPC_SHARED")
	b := make([]byte, holding)
	if path != "" {
		f, err := os.Open(path)
		must(err)
		b, err = syscall.Mmap(int(f.Fd()), 0, holding, syscall.PROT_READ, syscall.MAP_SHARED)
		must(err)
	}
	sum := 0
	for i := 0; i < len(b); i += 4096 {
		if path == "" {
			b[i] = 1
		}
		sum += int(b[i])
	}
	fmt.Fprintln(os.Stderr, "a child holds", len(b), sum)
	time.Sleep(time.Hour)
}

// sharedFile is a file of the size of what a child holds.
func sharedFile() string {
	path := filepath.Join(os.Getenv("TMPDIR"), "shared")
	must(os.WriteFile(path, make([]byte, holding), 0o600))
	return path
}

// hog takes all the memory that it gets.
func hog() {
	var all [][]byte
	for len(all) < 1<<16 {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		all = append(all, b)
	}
	must(errors.New("it got all memory"))
}
