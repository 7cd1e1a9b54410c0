package diag

// pages is where the pages of codes are read, one a code.
const pages = "https://github.com/sipc-ml/sipc/blob/main/docs/errors/"

// Page returns the address of a code's page: what it means, with a wrong and a right example. An empty code has an
// empty address.
func Page(code Code) string {
	if code == "" {
		return ""
	}
	return pages + string(code) + ".md"
}

// Page returns the address of the page of the diagnostic's code.
func (d *Diagnostic) Page() string { return Page(d.Code) }
