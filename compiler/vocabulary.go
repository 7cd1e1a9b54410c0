package compiler

import (
	"slices"
	"sync"

	"github.com/sipc-ml/sipc/compiler/internal/names"
	"github.com/sipc-ml/sipc/compiler/internal/tree"
	"github.com/sipc-ml/sipc/compiler/internal/values"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A Choice is a word that a setting or an item of a data block may take, with its arguments.
type Choice struct {
	Word string
	Args []plugins.Arg
}

// Vocabulary returns what may follow a word of the language: the kernels after "kernel", the
// methods after "method", the counts after "split". Editors complete from it, and pages list it, so
// that neither has a list of its own.
func Vocabulary() map[string][]Choice {
	v := map[string][]Choice{
		kernelWord: choicesOf(kernelSchemas), "features": choicesOf(featureSchemas), "learn": choicesOf(learnSchemas),
		names.ColumnsWord: {{Word: "image", Args: slices.Clone(imageSchema)}},
	}
	for _, m := range methods {
		v["method"] = append(v["method"], Choice{Word: m})
	}
	v["decode"] = []Choice{{Word: string(setting.Closure)}}
	for _, o := range choicesOf(optionSchemas) {
		v[o.Word] = []Choice{o}
	}
	return v
}

// ArgsOf returns the arguments of a word that a setting takes, or an item of a data block. Among
// those of a kernel are kernels of a single column. Nil means that it is no such word. Editors show them while a call is being typed.
func ArgsOf(setting, word string) []plugins.Arg {
	for _, c := range vocabulary()[setting] {
		if c.Word == word {
			return c.Args
		}
	}
	if setting == kernelWord {
		return slices.Clone(lineSchemas[word]) // of one column alone
	}
	return nil
}

// ColumnKernels returns the kernels of a single column, as additive and pairwise take them.
func ColumnKernels() []Choice { return choicesOf(lineSchemas) }

// vocabulary is made once: an editor asks for it at every keystroke.
var vocabulary = sync.OnceValue(Vocabulary)

// choicesOf returns the words of a table by name, with copies of their arguments.
func choicesOf(schemas map[string][]plugins.Arg) []Choice {
	out := make([]Choice, 0, len(schemas))
	for _, word := range tree.SortedKeys(schemas) {
		out = append(out, Choice{Word: word, Args: slices.Clone(schemas[word])})
	}
	return out
}

// Learners returns the learners that fit a task, the default first.
func Learners(t setting.Task) []string { return slices.Clone(learners[t]) }

// Wants says in words what an argument is: "an angle, such as 10deg". Errors and editors say it
// alike.
func Wants(arg *plugins.Arg) string {
	switch arg.Kind {
	case plugins.KindNumber:
		return "a number"
	case plugins.KindAngle:
		return "an angle, such as 10deg"
	case plugins.KindCount:
		return "a whole number, or a multiple of the number of rows, such as 4n"
	case plugins.KindText:
		return "a text"
	case plugins.KindChoice:
		return "a word"
	case plugins.KindColumn:
		return "a feature column"
	case plugins.KindLabel:
		return "a label"
	case plugins.KindTaxonomy:
		return "a taxonomy"
	case plugins.KindFile:
		return "the name of a file"
	case values.KindWidth:
		return "a length, or a multiple of median"
	case values.KindKernel:
		return "a kernel of a column, such as gaussian(width = 2)"
	case values.KindPairs:
		return "pairs of columns, such as {(age, income)}"
	case values.KindLandmarks:
		return "all, rows, a whole number, or a multiple of the number of rows"
	}
	return "a value"
}

// Fills returns the words that may stand for an argument's value: the choices of one that has them,
// median for a width.
func Fills(arg *plugins.Arg) []string { return values.Fills(arg) }

// BuiltinWords returns the words of the language that cannot be declared.
func BuiltinWords() []string { return slices.Clone(names.BuiltinWords) }
