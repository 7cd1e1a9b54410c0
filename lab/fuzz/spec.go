package fuzz

import (
	"fmt"
	"strings"
)

// spec returns the text of a spec. A few are spoilt.
func (s *scene) spec() string {
	kernel, features := s.space()
	var b strings.Builder
	s.declarations(&b)
	s.dataBlock(&b)
	fmt.Fprintf(&b, "kernel %s\nfeatures %s\n", kernel, features)
	s.regularizer(&b)
	fmt.Fprintf(&b, "learn %s\n", s.learner())
	if s.chance(10) {
		fmt.Fprintf(&b, "method %s\n", s.one("embed", "risk", "plain", "warp", "dual"))
	}
	if s.task == "multilabel" && s.chance(20) {
		b.WriteString("decode closure\n")
	}
	if s.chance(20) {
		fmt.Fprintf(&b, "seed %d\n", s.IntN(9))
	}
	if s.chance(10) {
		fmt.Fprintf(&b, "evaluate under {%s}\n", join(s.between(1, 2), ", ", s.move))
	}
	if s.chance(6) {
		return s.spoilt(b.String())
	}
	return b.String()
}

// declarations writes uses, lets and defs.
func (s *scene) declarations(b *strings.Builder) {
	if s.chance(15) {
		fmt.Fprintf(b, "use %s\n", s.one("mixup", "hierarchy", "transform"))
	}
	b.WriteString("let strength_of = " + s.one("0.1", "1", "10", "1e-6", "1e5", "2 * 3", "grid(0.1, 10)", "1", "1", "1", "0") + "\n")
	if s.chance(20) {
		// A point by name, as a definition that is called twice has two.
		fmt.Fprintf(b, "def size(p) = %s\n", s.wrapped("f(p"+s.labelled()+")"))
		s.defs = append(s.defs, "size")
	}
}

// labelled returns a label as a further argument, where f takes one.
func (s *scene) labelled() string {
	if s.labels == nil {
		return ""
	}
	return ", " + s.one(s.labels...)
}

// dataBlock writes the block that says what the data hold.
func (s *scene) dataBlock(b *strings.Builder) {
	items := []string{"target " + s.target}
	add := func(percent int, item string) {
		if s.chance(percent) {
			items = append(items, item)
		}
	}
	switch {
	case s.image:
		items = append(items, fmt.Sprintf("columns image(%d, %d)", side, side))
	case s.chance(30):
		items = append(items, "columns "+strings.Join(s.numbers, ", "))
	}
	add(50, s.one("split train = 0.7, test = 0.3", "split train = 0.5", "split test = 2", fmt.Sprintf("split train = %d", s.rows-2)))
	if s.gaps {
		add(90, "missing "+s.one("mean", "mask", "drop"))
		add(30, "gaps "+s.one("0", "1, -7", "-1"))
	}
	add(45, "standardize")
	add(10, "scale "+s.one("255", "0.1", "2"))
	add(15, "normalize")
	if s.group && !s.image {
		add(5, "ignore region")
	}
	if s.chance(50) {
		fmt.Fprintf(b, "data { %s }\n", strings.Join(items, "; "))
		return
	}
	fmt.Fprintf(b, "data {\n  %s\n}\n", strings.Join(items, "\n  "))
}

// space returns a kernel and features for it.
func (s *scene) space() (kernel, features string) {
	s.smooth = 2
	switch s.IntN(8) {
	case 0:
		s.smooth, kernel = 1, "linear"
	case 1:
		s.smooth, kernel = 0, s.one("laplacian", "laplacian(width = 2)")
	case 2:
		kernel = s.one("polynomial", "polynomial(degree = 3, offset = 0.5)", "polynomial(degree = 2, offset = 0)")
	default:
		kernel = "gaussian(width = " + s.one("median", "0.5 * median", "1", "0.01", "10", "1000", "grid(0.5, 2)", "median", "2", "1") + ")"
	}
	nystrom := "nystrom(landmarks = " + s.one("all", "all", "rows", "0.5n", "3", "2n") +
		s.one("", "", ", rank = 3", ", select = kmeans", ", select = leverage", ", seed = 2") + ")"
	switch choice := s.IntN(8); {
	case choice == 0:
		return kernel, "exact"
	case choice == 1 && kernel == "linear":
		return kernel, "hashing(bits = 4)"
	case choice == 1 && !strings.HasPrefix(kernel, "polynomial"):
		return kernel, "fourier(count = " + s.one("8", "64", "128, seed = 1") + ")"
	}
	return kernel, nystrom
}

// regularizer writes invariances and their sum.
func (s *scene) regularizer(b *strings.Builder) {
	if s.chance(4) {
		return // R = 0
	}
	var named []string
	for k := range s.between(1, 3) {
		name := fmt.Sprintf("i%d", k+1)
		fmt.Fprintf(b, "invariance %s = %s\n", name, s.invariance(named))
		named = append(named, name)
	}
	weight := func() string {
		return s.one("1", "1", "0.1", "10", "100", "1e-3", "1e3", "1e-8", "1e8", "0", "grid(1, 100)", "auto", "strength_of", "1", "0.3", "3", "30")
	}
	terms := make([]string, len(named))
	for k, name := range named {
		terms[k] = weight() + " * " + name
	}
	if len(named) > 1 && s.chance(20) {
		terms = []string{weight() + " * (" + strings.Join(named, " + 0.2 * ") + ")"}
	}
	fmt.Fprintf(b, "regularize %s\n", strings.Join(terms, ", "))
}

// learner returns a learner that suits the target, or one that seldom does.
func (s *scene) learner() string {
	strength := s.one("", "(C = 1)", "(C = 100)", "(C = 1e-3)", "(C = grid(0.1, 10))", "(C = 1e5)")
	number := s.task == "real"
	switch choice := s.IntN(6); {
	case number && choice == 0:
		return "poisson" + strength
	case number && choice == 1:
		return "quantile(0.1, " + s.one("0.5, 0.9)", "0.5, C = 10)", "C = grid(0.1, 10))", "0.05)")
	case number || choice == 0:
		return "ridge" + s.one("", "(lambda = 0.01)", "(lambda = 1e-6)", "(lambda = grid(0.1, 1))", "(lambda = 1e4)")
	case choice == 1:
		return "logistic" + strength
	case choice == 2 && s.task != "binary":
		return "softmax" + strength
	case choice == 3:
		return "svm(C = 1, " + s.one("probabilities = on)", "loss = squared)", "loss = squared, probabilities = on)")
	}
	return "svm" + strength
}

// spoilt returns a text with a part cut out, doubled or replaced.
func (s *scene) spoilt(text string) string {
	runes := []rune(text)
	at := s.IntN(len(runes))
	end := min(len(runes), at+s.between(1, 12))
	middle := s.one("", string(runes[at:end])+string(runes[at:end]), "-", "f", "0", "1e999", "max", "(", "λ", `"`, "grid(1, 2)", " over x of ", "\x00", "min")
	return string(runes[:at]) + middle + string(runes[end:])
}
