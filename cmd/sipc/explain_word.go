package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sipc-ml/sipc/compiler"
	pages "github.com/sipc-ml/sipc/docs/errors"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
)

var codeForm = regexp.MustCompile(`^[EWew][0-9]{3}$`)

// pageOf returns the page of a code, or the definition of a statement of the standard library. It is empty for another word, and where a
// file has that name.
func pageOf(word string) (string, error) {
	if _, err := os.Stat(word); err == nil {
		return "", nil
	}
	name, _, _ := strings.Cut(word, "(") // increasing(area) is asked for as increasing is
	for _, d := range compiler.Standard() {
		if d.Name == name {
			return fmt.Sprintf("# %s\n%s\n", d.Doc, d.Source), nil
		}
	}
	if !codeForm.MatchString(word) {
		return "", nil
	}
	code := diag.Code(strings.ToUpper(word))
	if page, ok := pages.Page(code); ok {
		return page, nil
	}
	codes := pages.Codes()
	return "", fmt.Errorf("there is no code %s; codes run from %s to %s, and are listed at %s",
		code, codes[0], codes[len(codes)-1], strings.TrimSuffix(diag.Page(code), string(code)+".md")+"README.md")
}

// explainWord prints the page of a word.
func explainWord(cmd *cobra.Command, page string, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), map[string]string{"page": page})
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), page)
	return err
}
