package compiler

import (
	"github.com/sipc-ml/sipc/compiler/internal/calculus"
	"github.com/sipc-ml/sipc/compiler/internal/explain"
	"github.com/sipc-ml/sipc/compiler/internal/ground"
	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/plugins"
)

// What users of the package see of those within.
type (
	// Options says what surrounds a spec. The zero value has no families and no files.
	Options = names.Options
	// Included is a file that a spec includes.
	Included = names.Included
	// DataFile says which columns a data file has, as far as an editor looked.
	DataFile = names.DataFile
	// Ground is what a regularizer is grounded on: the training rows.
	Ground = ground.Data
	// Explanation says what was proved of R, and why.
	Explanation = explain.Explanation
	// Step is a node of the proof that an expression is convex.
	Step = explain.Step
)

const (
	// ConstantKind is the kind of a step of a proof that holds no f.
	ConstantKind = explain.Constant
	// LinearKind is the kind of a step of a proof that is linear in f.
	LinearKind = "linear"
	// NodeCount is how many values a path's parameter takes, unless more are asked for.
	NodeCount = ground.NodeCount
	// Nameless is the id of a row that no file of edges names.
	Nameless = ground.Nameless
)

// Rules returns the rules of the calculus as a proof names them, each once, from the leaves' to
// those of the largest operations.
func Rules() []string { return calculus.RuleTexts() }

// Standard returns the definitions of the standard library, each with the comment above it.
func Standard() []plugins.Definition { return names.Standard() }
