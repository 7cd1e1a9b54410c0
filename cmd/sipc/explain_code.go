package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	pages "github.com/sipc-ml/sipc/docs/errors"
	"github.com/sipc-ml/sipc/dsl/diag"
	"github.com/sipc-ml/sipc/internal/cli"
)

var codeForm = regexp.MustCompile(`^[EWew][0-9]{3}$`)

// codeOf returns the code of a diagnostic if the arguments are one and no file has this name.
func codeOf(args []string) (diag.Code, bool) {
	if len(args) != 1 || !codeForm.MatchString(args[0]) {
		return "", false
	}
	if _, err := os.Stat(args[0]); err == nil {
		return "", false
	}
	return diag.Code(strings.ToUpper(args[0])), true
}

// codeJSON holds what explain --json prints of a code.
type codeJSON struct {
	Code  diag.Code `json:"code"`
	Title string    `json:"title"`
	Link  string    `json:"link"`
	Page  string    `json:"page"` // Markdown
}

// explainCode prints the page of a code.
func explainCode(cmd *cobra.Command, code diag.Code, asJSON bool) error {
	page, ok := pages.Page(code)
	if !ok {
		codes := pages.Codes()
		return cli.WrongCall(cmd, fmt.Errorf("there is no code %s; codes run from %s to %s, and are listed at %s",
			code, codes[0], codes[len(codes)-1], strings.TrimSuffix(diag.Page(code), string(code)+".md")+"README.md"))
	}
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), codeJSON{code, pages.Title(page), diag.Page(code), page})
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), page)
	return err
}
