package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// notKnown is a number that nobody knows.
var notKnown = math.NaN()

// repeat says how to do it again, and by which bytes to know that all is the same.
func (r *Run) repeat() section {
	rep := r.Report
	s := section{ID: "repeat", Title: "How to repeat it"}
	s.Blocks = append(s.Blocks, block{Text: "The same program, spec, data and seed give the same numbers on any number of threads. On other processors they may differ in the last digits."})
	facts := []fact{{"command", quoted(r.Command), true}, {"seed", strconv.FormatUint(rep.Seed, 10), false}, {"program", r.Program, false}}
	facts = append(facts, fact{"spec", rep.Spec, false}, fact{"SHA-256 of the spec", rep.SpecSHA256, true}, fact{"data", rep.Data, false}, fact{"SHA-256 of the data", rep.DataSHA256, true})
	if rep.Test != "" {
		facts = append(facts, fact{"test rows", rep.Test, false}, fact{"SHA-256 of the test rows", rep.TestSHA256, true})
	}
	if rep.ModelSHA256 != "" {
		facts = append(facts, fact{"SHA-256 of the model file", rep.ModelSHA256, true})
	}
	for _, f := range rep.Families {
		facts = append(facts, fact{"SHA-256 of the program of family " + f.Name + " " + f.Version, f.Program, true}, fact{"SHA-256 of what " + f.Name + " answered", f.Answers, true})
	}
	s.Blocks = append(s.Blocks, block{Facts: facts})
	if rep.ModelSHA256 == "" {
		s.Blocks = append(s.Blocks, block{Quiet: true, Text: "No model file was written; --out FOLDER writes one."})
	}
	return s
}

// costs tells time and memory, which differ between runs.
func (r *Run) costs() section {
	s := section{ID: "costs", Title: "Time and memory", Costs: true}
	t := &table{Caption: "Seconds by stage", Head: []string{"stage", "seconds"}, Numbers: numbers(2)}
	for _, f := range r.Report.Timing.Figures {
		t.add(f.Name, fmt.Sprintf("%.2f", f.Value))
	}
	if len(t.Rows) == 0 && r.Memory == 0 {
		return s
	}
	if len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, block{Table: t})
	}
	var facts []fact
	if b := r.Report.Timing.BLAS; b != "" {
		facts = append(facts, fact{Term: "linear algebra", Text: b})
	}
	if r.Memory > 0 {
		facts = append(facts, fact{Term: "most memory of the process", Text: bytesText(r.Memory)})
	}
	s.Blocks = append(s.Blocks, block{Facts: facts}, block{Quiet: true, Text: "This section alone differs between runs of the same."})
	return s
}

// unplain reports whether a shell may take a character for more than itself.
func unplain(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !letter && !strings.ContainsRune("-_./=:,+@%", r)
}

// quoted writes arguments as a shell of Unix takes them.
func quoted(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		if a == "" || strings.ContainsFunc(a, unplain) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out[i] = a
	}
	return strings.Join(out, " ")
}
