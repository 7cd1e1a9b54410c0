package pages_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/plugins"
)

// Pages about families show what their authors wrote. Here it stands as a program: each snippet of a page must occur in this file.
var (
	definedWrongly = plugins.Definition{Name: "apart", Source: "apart(a, b) = abs(f(a) - f(b))"}
	definedWell    = plugins.Definition{Name: "apart", Source: "def apart(a, b) = |f(a) - f(b)|"}
)

// A defining family adds one definition to the language.
type defining struct{ plugins.Definition }

func (d defining) Describe(context.Context) (*plugins.Schema, error) {
	return &plugins.Schema{Name: "swaps", Version: "1.0.0", Definitions: []plugins.Definition{d.Definition}}, nil
}

func (d defining) Open(context.Context, *plugins.Data) (plugins.Session, error) { return nil, nil }

// checkWithFamily checks a spec that uses a family with the definition that the page shows.
func checkWithFamily(t *testing.T, s side) diag.List {
	t.Helper()
	program, err := os.ReadFile(home(t) + "/family_test.go")
	if err != nil || !strings.Contains(string(program), " = "+s.snippet+"\n") {
		t.Fatalf("%v; no program has %s", err, s.snippet)
	}
	for _, d := range []plugins.Definition{definedWrongly, definedWell} {
		if !strings.Contains(s.snippet, strconv.Quote(d.Source)) {
			continue
		}
		file, list := dsl.Parse("spec.inv", []byte(s.spec))
		plan, more := compiler.Check(t.Context(), file, compiler.Options{
			Open:     func(context.Context, string) (plugins.Family, error) { return defining{d}, nil },
			ReadFile: func(string) ([]byte, error) { return []byte("1,2\n"), nil },
		})
		_ = plan.Close()
		return append(list, more...)
	}
	t.Fatalf("no definition is that of %s", s.snippet)
	return nil
}
