package page

import (
	"io"
	"path/filepath"
	"strings"
)

// WriteHTML writes the page.
func (r *Run) WriteHTML(w io.Writer) error {
	d := &document{
		Title: "Report of " + filepath.Base(r.Report.Spec), Kicker: "Report of a run", Heading: filepath.Base(r.Report.Spec) + " on " + filepath.Base(r.Report.Data),
		Lead: r.lead() + " " + r.how(), Program: r.Program, Badges: r.badges(),
	}
	for _, s := range []section{r.summary(), r.notices(), r.declared(), r.metrics(), r.certificates(), r.effects(), r.witnesses(), r.repeat(), r.costs()} {
		if len(s.Blocks) > 0 {
			d.Sections = append(d.Sections, s)
		}
	}
	return d.write(w)
}

// how says by which method f was found.
func (r *Run) how() string {
	rep := r.Report
	text := "Method " + rep.Method
	if rep.MethodReason != "" {
		text += " (" + strings.TrimSuffix(rep.MethodReason, ".") + ")"
	}
	if rep.Learner != nil {
		text += ", learner " + rep.Learner.Text
	}
	return text + "."
}
