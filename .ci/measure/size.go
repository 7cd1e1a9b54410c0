package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Targets of the measures of size.
const (
	startLines    = 65700 // lines of product code when the target was set
	targetLines   = startLines - 16000
	targetFile    = 600
	longFunction  = 35
	targetLong    = 5.0 // percent
	targetToBe    = 8.0
	targetComment = 14.0
	targetBinary  = 24.0 // millions of bytes
)

// explained are the packages of mathematics and the compiler, whose comments have a least share, as have those in folders
// below the compiler's.
var explained = []string{
	"compiler", "plugins/hierarchy", "plugins/mixup", "plugins/transform", "runtime/blas", "runtime/curve", "runtime/dual",
	"runtime/embed", "runtime/gauge", "runtime/interval", "runtime/kernel", "runtime/learn", "runtime/metric", "runtime/model", "runtime/operator",
	"runtime/polar", "runtime/regularizer", "runtime/represent", "runtime/risk", "runtime/truth",
}

// measures returns what is read from the text of the product's files alone.
func (t *tree) measures() []measure {
	long := measure{name: "file", title: "lines of the longest file", target: targetFile}
	var all lineKinds
	folders := map[string]lineKinds{}
	var functions functionCounts
	for _, s := range t.sources {
		if !s.product() {
			continue
		}
		kinds := s.lines(t.fset)
		all.add(kinds)
		sum := folders[s.folder()]
		sum.add(kinds)
		folders[s.folder()] = sum
		long.hold(float64(kinds.total), s.path)
		functions.add(t.fset, s)
	}
	lines := measure{name: "lines", title: "lines of product code", target: targetLines, grain: 1000}
	lines.value = float64(all.code)
	return append([]measure{lines, long}, append(functions.measures(), commentMeasure(folders))...)
}

// commentMeasure returns the least share of comment lines in packages that must explain themselves.
func commentMeasure(folders map[string]lineKinds) measure {
	m := measure{name: "comments", title: "comments of lines, mathematics and compiler", unit: "%", target: targetComment, least: true}
	for folder, kinds := range folders {
		if slices.Contains(explained, folder) || strings.HasPrefix(folder, "compiler/") {
			m.hold(percent(kinds.comment, kinds.total), folder)
		}
	}
	return m
}

// functionCounts sums up functions: how many there are, how long, and how their comments begin.
type functionCounts struct {
	all, documented, toBe int
	longest               []offender
}

func (c *functionCounts) add(fset *token.FileSet, s *source) {
	for _, d := range s.syntax.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		c.all++
		if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1; n > longFunction {
			c.longest = append(c.longest, offender{float64(n), fmt.Sprintf("%s:%d: %s", s.path, fset.Position(f.Pos()).Line, f.Name.Name)})
		}
		if words := strings.Fields(f.Doc.Text()); len(words) > 0 {
			c.documented++
			if len(words) > 1 && isToBe(words[1]) {
				c.toBe++
			}
		}
	}
}

func (c *functionCounts) measures() []measure {
	long := measure{
		name: "functions", title: fmt.Sprintf("functions over %d lines", longFunction), unit: "%", each: "lines", target: targetLong,
		value: percent(len(c.longest), c.all), offenders: c.longest,
	}
	toBe := measure{
		name: "tobe", title: "function comments of the form X is/are", unit: "%", target: targetToBe,
		value: percent(c.toBe, c.documented),
	}
	return []measure{long, toBe}
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// binarySize builds the program as a user does, without symbols.
func binarySize(ctx context.Context, root string) (measure, error) {
	m := measure{name: "binary", title: `size of ./cmd/sipc, -ldflags="-s -w"`, unit: "MB", target: targetBinary, grain: 0.5}
	dir, err := os.MkdirTemp("", "measure")
	if err != nil {
		return m, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "sipc")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", file, "./cmd/sipc")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return m, fmt.Errorf("cannot build ./cmd/sipc: %w\n%s", err, text)
	}
	info, err := os.Stat(file)
	if err != nil {
		return m, err
	}
	m.value = float64(info.Size()) / 1e6
	return m, nil
}
