package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	boundsFile = "bounds.txt"
	proseFile  = "prose.txt"
)

// bounds are what is committed of measures and of each folder's prose.
type bounds struct {
	measures map[string]bound
	prose    map[string]faultCounts
}

// A bound is the worst value that a measure may have, and how many things may miss its target.
type bound struct {
	value float64
	miss  int
}

// readBounds reads the two files of a folder; one that does not exist bounds nothing.
func readBounds(dir string) (*bounds, error) {
	b := &bounds{measures: map[string]bound{}, prose: map[string]faultCounts{}}
	err := readLines(filepath.Join(dir, boundsFile), func(name string, numbers []float64) {
		b.measures[name] = bound{numbers[0], int(numbers[1])}
	})
	if err != nil {
		return nil, err
	}
	err = readLines(filepath.Join(dir, proseFile), func(name string, numbers []float64) {
		b.prose[name] = faultCounts{int(numbers[0]), int(numbers[1])}
	})
	b.sumProse()
	return b, err
}

// sumProse bounds the totals of prose by the sums over folders.
func (b *bounds) sumProse() {
	total := sum(b.prose)
	b.measures[measureVerb] = bound{float64(total.verb), 0}
	b.measures[measureLength] = bound{float64(total.length), 0}
}

// readLines calls take with the name and the two numbers of each line that is not a comment.
func readLines(file string, take func(string, []float64)) error {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for i := 1; lines.Scan(); i++ {
		if lines.Text() == "" || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			return fmt.Errorf("%s:%d: want a name and two numbers", file, i)
		}
		var numbers []float64
		for _, field := range fields[1:] {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return fmt.Errorf("%s:%d: %w", file, i, err)
			}
			numbers = append(numbers, x)
		}
		take(fields[0], numbers)
	}
	return lines.Err()
}

const (
	boundsHead = "# The worst value of each measure, and how many things may miss its target: name, value, count.\n"
	proseHead  = "# How often each folder may break the rules of prose: folder, comments of functions without a verb, long sentences.\n"
)

// write replaces the two files of a folder.
func (b *bounds) write(dir string) error {
	var text strings.Builder
	text.WriteString(boundsHead)
	for _, name := range slices.Sorted(maps.Keys(b.measures)) {
		if name == measureVerb || name == measureLength {
			continue // prose.txt has these
		}
		m := b.measures[name]
		fmt.Fprintf(&text, "%s %s %d\n", name, strconv.FormatFloat(m.value, 'f', -1, 64), m.miss)
	}
	if err := os.WriteFile(filepath.Join(dir, boundsFile), []byte(text.String()), 0o644); err != nil {
		return err
	}
	text.Reset()
	text.WriteString(proseHead)
	for _, folder := range slices.Sorted(maps.Keys(b.prose)) {
		fmt.Fprintf(&text, "%s %d %d\n", folder, b.prose[folder].verb, b.prose[folder].length)
	}
	return os.WriteFile(filepath.Join(dir, proseFile), []byte(text.String()), 0o644)
}

// lower brings bounds down to what is measured, where that is better. Folders' counts of prose are all replaced if their
// sums are no larger, as files move between folders.
func (b *bounds) lower(measures []measure, counts map[string]faultCounts) error {
	for i := range measures {
		m := &measures[i]
		now := bound{m.bound(), m.misses()}
		if old, ok := b.measures[m.name]; ok {
			if m.worse(now.value, old.value) {
				now.value = old.value
			}
			now.miss = min(now.miss, old.miss)
		}
		b.measures[m.name] = now
	}
	for name := range b.measures {
		if !slices.ContainsFunc(measures, func(m measure) bool { return m.name == name }) {
			delete(b.measures, name)
		}
	}
	old, now := sum(b.prose), sum(counts)
	if len(b.prose) > 0 && (now.verb > old.verb || now.length > old.length) {
		return fmt.Errorf("%s stays as it is: %d comments without a verb and %d long sentences would be more than the %d and %d that it has in all", proseFile, now.verb, now.length, old.verb, old.length)
	}
	b.prose = counts
	b.sumProse()
	return nil
}

// check writes what is worse than its bound, and reports whether anything is.
func (b *bounds) check(out io.Writer, measures []measure, faults []fault) (broken bool) {
	for i := range measures {
		if b.checkMeasure(out, &measures[i]) {
			broken = true
		}
	}
	return b.checkProse(out, faults) || broken
}

// checkProse holds the prose of each folder to its bounds, and writes all passages that break a rule more often.
func (b *bounds) checkProse(out io.Writer, faults []fault) (broken bool) {
	counts := countFaults(faults)
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		now, most := counts[folder], b.prose[folder]
		here := inFolders(faults, []string{folder})
		if now.verb > most.verb {
			broken = true
			fmt.Fprintf(out, "\n%s: %d comments of functions begin with no verb, bound %d\n", folder, now.verb, most.verb)
			printFaults(out, slices.DeleteFunc(slices.Clone(here), func(f fault) bool { return f.rule != ruleVerb }))
		}
		if now.length > most.length {
			broken = true
			fmt.Fprintf(out, "\n%s: %d sentences have more than %d words, bound %d\n", folder, now.length, mostWords, most.length)
			printFaults(out, slices.DeleteFunc(here, func(f fault) bool { return f.rule != ruleLength }))
		}
	}
	if broken {
		fmt.Fprintln(out, "\nMend these passages, or if code moved between folders: go run ./.ci/measure -update")
	}
	return broken
}

// checkMeasure holds one measure to its bounds.
func (b *bounds) checkMeasure(out io.Writer, m *measure) (broken bool) {
	most, ok := b.measures[m.name]
	switch {
	case !ok:
		fmt.Fprintf(out, "\n%s: no bound is committed; go run ./.ci/measure -update\n", m.name)
	case m.worse(clean(m.value), most.value):
		fmt.Fprintf(out, "\n%s: %s is worse than the bound, %s\n", m.title, m.number(m.value), m.number(most.value))
	case m.misses() > most.miss:
		fmt.Fprintf(out, "\n%s: %d miss the target, bound %d\n", m.title, m.misses(), most.miss)
	default:
		return false
	}
	printOffenders(out, m)
	return true
}
