package fuzz

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Campaign runs the cases of consecutive seeds, some in each of several processes. One that crashes does not end the others.
type Campaign struct {
	First uint64        // seed
	Runs  uint64        // 0: until For is over
	For   time.Duration // 0: until Runs are done
	Limit time.Duration // for each case
	Kind  string        // empty: all
	Jobs  int
	// Command returns the command line of a process that runs count cases from a seed on and writes each as a line of JSON.
	Command func(first, count uint64) []string
	// Found is told of each case that is not sound, as soon as it ended.
	Found func(*Case)
}

// chunk is how many cases a process runs.
const chunk = 25

// Run runs the campaign.
func (k *Campaign) Run(ctx context.Context) (*Summary, error) {
	out := &Summary{First: k.First, Kinds: map[string]*Tally{}, Errors: map[string]*Example{}}
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		errs []error
	)
	began := time.Now()
	next := k.First
	take := func() (first, count uint64) {
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil || len(errs) > 0 || (k.For > 0 && time.Since(began) > k.For) {
			return 0, 0
		}
		first, count = next, chunk
		if k.Runs > 0 {
			count = min(chunk, k.First+k.Runs-next)
		}
		next += count
		return first, count
	}
	ended := func(c *Case) {
		mu.Lock()
		defer mu.Unlock()
		out.add(c)
		if !c.Sound() {
			k.Found(c)
		}
	}
	for range k.Jobs {
		wg.Go(func() {
			for first, count := take(); count > 0; first, count = take() {
				if err := k.some(ctx, first, count, ended); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	out.Took = time.Since(began)
	return out, errors.Join(errs...)
}

// some runs cases in processes. The case in which one ended early counts as a panic, and another goes on behind it.
func (k *Campaign) some(ctx context.Context, first, count uint64, ended func(*Case)) error {
	for end := first + count; first < end && ctx.Err() == nil; {
		words := k.Command(first, end-first)
		child := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // this very program
		child.Env = append(os.Environ(), "GOMAXPROCS=1")
		var stdout, stderr bytes.Buffer
		child.Stdout, child.Stderr = &stdout, &tail{b: &stderr}
		failed := child.Run()
		if ctx.Err() != nil {
			return nil
		}
		deaf := false // which explains the end of the process
		for line := range bytes.Lines(stdout.Bytes()) {
			c := &Case{}
			if err := json.Unmarshal(line, c); err != nil {
				return fmt.Errorf("the process of seed %d wrote no case: %w", first, err)
			}
			deaf = c.End == Deaf
			ended(c)
			first++
		}
		if first < end && failed != nil && !deaf {
			ended(&Case{Seed: first, Kind: kindOf(first, k.Kind), End: Panicked, Message: fmt.Sprintf("%v\n%s", failed, &stderr)})
			first++
		}
	}
	return nil
}

// tail keeps the beginning of what a process says, where a panic tells its place.
type tail struct{ b *bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 8 << 10
	if room := most - t.b.Len(); room > 0 {
		t.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// A Tally counts cases of a kind.
type Tally struct {
	Runs         int            `json:"runs"`
	Ends         map[string]int `json:"ends"`
	Silent       int            `json:"silent"` // gaps missed without a word
	Certificates int            `json:"certificates"`
	Left         int            `json:"left"`
	Wrong        int            `json:"wrong"` // certificates
	Faults       int            `json:"faults"`
	Methods      map[string]int `json:"methods,omitempty"`
	Took         time.Duration  `json:"took"`
	Slowest      time.Duration  `json:"slowest"`
	SlowestSeed  uint64         `json:"slowest_seed"`
}

// A Summary is what a campaign came to.
type Summary struct {
	First uint64            `json:"first"`
	Kinds map[string]*Tally `json:"kinds"`
	Took  time.Duration     `json:"took"`
	Found []*Case           `json:"found"`
	// Errors counts the messages of cases that failed, without their numbers, and names the seed of the first.
	Errors map[string]*Example `json:"errors"`
}

// An Example is a message that several cases ended with.
type Example struct {
	Count int    `json:"count"`
	Seed  uint64 `json:"seed"`
}

// digits are what messages of the same kind differ in.
var digits = regexp.MustCompile(`[0-9][-+.e0-9]*`)

func (s *Summary) add(c *Case) {
	t := s.Kinds[c.Kind]
	if t == nil {
		t = &Tally{Ends: map[string]int{}, Methods: map[string]int{}}
		s.Kinds[c.Kind] = t
	}
	t.Runs++
	t.Ends[c.End]++
	t.Certificates += c.Certificates
	t.Left += c.Left
	t.Wrong += len(c.Wrong)
	t.Faults += len(c.Faults)
	if c.Silent != "" {
		t.Silent++
	}
	if c.Method != "" {
		t.Methods[c.Method]++
	}
	t.Took += c.Took
	if c.Took > t.Slowest {
		t.Slowest, t.SlowestSeed = c.Took, c.Seed
	}
	if !c.Sound() {
		found := *c
		found.Text = "" // which the seed gives again
		s.Found = append(s.Found, &found)
	}
	if c.End == Failed {
		text, _, _ := strings.Cut(digits.ReplaceAllString(c.Message, "#"), "\n")
		if s.Errors[text] == nil {
			s.Errors[text] = &Example{Seed: c.Seed}
		}
		s.Errors[text].Count++
	}
}

// Write writes a table, a line for each kind.
func (s *Summary) Write(w io.Writer) error {
	columns := []string{"kind", "runs", Done, Refused, Failed, "panics", Late, Deaf, "silent", "certificates", "wrong", "faults", "slowest"}
	rows := [][]string{columns}
	for _, kind := range Kinds() {
		t := s.Kinds[kind]
		if t == nil {
			continue
		}
		row := []string{kind}
		for _, n := range []int{
			t.Runs, t.Ends[Done], t.Ends[Refused], t.Ends[Failed], t.Ends[Panicked], t.Ends[Late], t.Ends[Deaf],
			t.Silent, t.Certificates, t.Wrong, t.Faults,
		} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.1f s", t.Slowest.Seconds())))
	}
	for _, row := range rows {
		for j, cell := range row {
			fmt.Fprintf(w, "%-*s", max(8, len(columns[j])+2), cell)
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	for _, text := range slices.Sorted(maps.Keys(s.Errors)) {
		fmt.Fprintf(w, "failed %d times, as seed %d: %s\n", s.Errors[text].Count, s.Errors[text].Seed, text)
	}
	slices.SortFunc(s.Found, func(a, b *Case) int { return cmp.Compare(a.Seed, b.Seed) })
	_, err := fmt.Fprintf(w, "seeds from %d, %.0f s\n", s.First, s.Took.Seconds())
	return err
}
