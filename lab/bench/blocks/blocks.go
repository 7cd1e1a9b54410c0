// Package blocks measures embeddings in blocks beside those at once: the same bytes, by a pool, by tasks and after kills, and what blocks cost.
package blocks

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sipc-ml/sipc/lab/bench"
)

// A Job is a model and data on which sipc is called.
type Job struct {
	Model, Data   string
	Dir           string   // for all files, which may be large
	Command       []string // of sipc
	Rows          int      // of a block
	Rounds, Kills int
	Seed          uint64
}

// A Line is what came of it.
type Line struct {
	Blocks int          `json:"blocks"`
	Plain  []bench.Took `json:"plain"` // of each round
	Pool   []bench.Took `json:"pool"`
	// Overhead is the pool's time of processors over that without blocks, less one: the median over rounds. Wall is the same by the clock.
	Overhead float64 `json:"overhead"`
	Wall     float64 `json:"wall"`
	// Tasks and Killed say whether the bytes were the same by tasks and after kills, and Pooled by the pool.
	Pooled bool `json:"pool_same_bytes"`
	Tasks  bool `json:"tasks_same_bytes"`
	Killed bool `json:"killed_same_bytes"`
	Kills  int  `json:"kills"`
	Again  int  `json:"blocks_done_again"` // though they had a receipt
}

// Run measures.
func (j *Job) Run(ctx context.Context) (*Line, error) {
	l := &Line{Pooled: true}
	for range j.Rounds {
		plain, err := j.embed(ctx, "plain.npy")
		if err != nil {
			return nil, err
		}
		pool, err := j.embed(ctx, "pool.npy", j.blocks("pool")...)
		if err != nil {
			return nil, err
		}
		if err := os.RemoveAll(j.path("pool")); err != nil {
			return nil, err
		}
		l.Plain, l.Pool = append(l.Plain, plain), append(l.Pool, pool)
		same, err := j.same("pool.npy")
		if err != nil {
			return nil, err
		}
		l.Pooled = l.Pooled && same
	}
	l.Overhead = overhead(l, func(t bench.Took) float64 { return t.Seconds })
	l.Wall = overhead(l, func(t bench.Took) float64 { return t.Wall })
	if err := j.tasks(ctx, l); err != nil {
		return nil, err
	}
	return l, j.interrupt(ctx, l)
}

// overhead returns the median over rounds.
func overhead(l *Line, of func(bench.Took) float64) float64 {
	var ratios []float64
	for i := range l.Plain {
		ratios = append(ratios, of(l.Pool[i])/of(l.Plain[i])-1)
	}
	slices.Sort(ratios)
	n := len(ratios)
	return (ratios[(n-1)/2] + ratios[n/2]) / 2
}

func (j *Job) path(name string) string { return filepath.Join(j.Dir, name) }

// blocks returns the flags of work in blocks.
func (j *Job) blocks(folder string) []string {
	return []string{"--blocks", j.path(folder), "--rows", strconv.Itoa(j.Rows)}
}

// call returns the arguments of sipc embed.
func (j *Job) call(out string, more ...string) []string {
	return append([]string{"embed", j.Model, j.Data, "--out", j.path(out), "--json", "--quiet", "--accept-gap"}, more...)
}

func (j *Job) embed(ctx context.Context, out string, more ...string) (bench.Took, error) {
	var certificate any
	return bench.Told(ctx, &certificate, j.Command, j.call(out, more...)...)
}

// same reports whether a file has the bytes of that without blocks.
func (j *Job) same(name string) (bool, error) {
	want, err := os.ReadFile(j.path("plain.npy"))
	if err != nil {
		return false, err
	}
	got, err := os.ReadFile(j.path(name))
	return bytes.Equal(got, want), err
}

// tasks computes each block by a process of its own, two at a time, in an order that is drawn.
func (j *Job) tasks(ctx context.Context, l *Line) error {
	sipc := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, j.Command[0], slices.Concat(j.Command[1:], args, []string{"--quiet"})...) //nolint:gosec // the caller's command
		var stderr strings.Builder
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		if err != nil {
			err = fmt.Errorf("sipc %s: %w\n%s", args[0], err, stderr.String())
		}
		return strings.TrimSpace(string(text)), err
	}
	text, err := sipc("plan", j.Model, j.Data, "--folder", j.path("tasks"), "--rows", strconv.Itoa(j.Rows))
	if err != nil {
		return err
	}
	if l.Blocks, err = strconv.Atoi(text); err != nil {
		return err
	}
	order := rand.New(rand.NewPCG(j.Seed, 1)).Perm(l.Blocks) //nolint:gosec // equal calls draw equal orders
	for pair := range slices.Chunk(order, 2) {
		done := make(chan error, len(pair))
		for _, i := range pair {
			go func() {
				_, err := sipc("block", j.path("tasks"), "--index", strconv.Itoa(i))
				done <- err
			}()
		}
		for range pair {
			if e := <-done; e != nil {
				err = e
			}
		}
		if err != nil {
			return err
		}
	}
	if _, err := sipc("merge", j.path("tasks"), "--out", j.path("tasks.npy"), "--accept-gap"); err != nil {
		return err
	}
	l.Tasks, err = j.same("tasks.npy")
	return err
}

// interrupt kills a pool at times that are drawn, and lets it go on.
func (j *Job) interrupt(ctx context.Context, l *Line) (err error) {
	draw := rand.New(rand.NewPCG(j.Seed, 2)) //nolint:gosec // equal calls draw equal shares of a run
	whole := l.Pool[len(l.Pool)-1].Wall
	done := map[string]time.Time{}
	l.Killed = true
	for l.Kills < j.Kills {
		cmd := exec.CommandContext(ctx, j.Command[0], append(j.Command[1:len(j.Command):len(j.Command)], j.call("killed.npy", j.blocks("killed")...)...)...) //nolint:gosec // the caller's command
		if err := cmd.Start(); err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err = <-ended:
		case <-time.After(time.Duration(draw.Float64() * 3 * whole / float64(j.Kills+1) * float64(time.Second))):
			_ = cmd.Process.Kill()
			err = <-ended
		}
		switch {
		case err == nil: // it was faster: the next ones begin anew
			if err := j.finished(l, done); err != nil {
				return err
			}
		case cmd.ProcessState.ExitCode() >= 0:
			return fmt.Errorf("sipc embed --blocks: %w", err)
		default:
			l.Kills++
		}
		l.Again += again(j.path("killed"), done)
	}
	if _, err := j.embed(ctx, "killed.npy", j.blocks("killed")...); err != nil {
		return err
	}
	l.Again += again(j.path("killed"), done)
	return j.finished(l, done)
}

// finished compares the bytes of a pool that has ended, and takes its folder away.
func (j *Job) finished(l *Line, done map[string]time.Time) error {
	same, err := j.same("killed.npy")
	l.Killed = l.Killed && same
	if err != nil {
		return err
	}
	clear(done)
	return os.RemoveAll(j.path("killed"))
}

// again counts receipts that were written again, and notes when each was.
func again(dir string, done map[string]time.Time) (count int) {
	paths, _ := filepath.Glob(filepath.Join(dir, "out", "*.json")) // the pattern is one
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if before, ok := done[path]; ok && !before.Equal(info.ModTime()) {
			count++
		}
		done[path] = info.ModTime()
	}
	return count
}
