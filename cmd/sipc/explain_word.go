package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	pages "github.com/sipc-ml/sipc/docs/errors"
	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/lsp"
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/spelling"
)

var codeForm = regexp.MustCompile(`^[EWew][0-9]{3}$`)

// pageOf returns the page of a code, or what a word of the language or of a built-in family means. It is empty for the path of a spec, and where
// a file has that name.
func pageOf(ctx context.Context, word string) (string, error) {
	if _, err := os.Stat(word); err == nil {
		return "", nil
	}
	name, _, _ := strings.Cut(word, "(") // increasing(area) is asked for as increasing is
	if !codeForm.MatchString(word) {
		return meaning(ctx, word, name)
	}
	code := diag.Code(strings.ToUpper(word))
	if page, ok := pages.Page(code); ok {
		return page, nil
	}
	codes := pages.Codes()
	return "", fmt.Errorf("there is no code %s; codes run from %s to %s, and are listed at %s",
		code, codes[0], codes[len(codes)-1], strings.TrimSuffix(diag.Page(code), string(code)+".md")+"README.md")
}

// meaning returns what a word means, or what its call does. A name that means nothing is an error.
func meaning(ctx context.Context, word, name string) (string, error) {
	var families []*plugins.Schema
	built := sipc.Families()
	for _, family := range slices.Sorted(maps.Keys(built)) {
		schema, err := built[family].Describe(ctx)
		if err != nil {
			return "", err
		}
		families = append(families, schema)
	}
	glossary := lsp.Glossary(families)
	page := glossary[name]
	if page != "" || !dsl.IsName(name) {
		return page, nil
	}
	mend := "give the path of a spec, a code such as E401, or a word such as increasing"
	if best := spelling.Nearest(name, slices.Sorted(maps.Keys(glossary)), func(k string) int { return (len(k) + 1) / 3 }); best != "" {
		mend = fmt.Sprintf("did you mean `sipc explain %s`?", best)
	}
	return "", fmt.Errorf("there is no file %s, and no word of the language or of a built-in family is called so; %s", word, mend)
}

// explainWord prints the page of a word.
func explainWord(cmd *cobra.Command, page string, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), map[string]string{"page": page})
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), page)
	return err
}
