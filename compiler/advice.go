package compiler

import (
	"github.com/sipc-ml/sipc/plugins"
)

// about says what an argument is, as a sentence.
func about(arg *plugins.Arg) string {
	if arg.Doc == "" {
		return ""
	}
	return arg.Name + ": " + arg.Doc + "."
}
