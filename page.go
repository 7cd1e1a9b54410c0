package sipc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sipc-ml/sipc/dsl"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/page"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// pages returns the files of the page and of the model card, as far as they are asked for. An empty name stands for no file. Without either it
// returns nil.
func (o *RunOptions) pages() []string {
	html, card := o.Report, o.Card
	if card == "" && html != "" {
		card = strings.TrimSuffix(html, filepath.Ext(html)) + ".md"
	}
	if html == "" && card == "" {
		return nil
	}
	return []string{html, card}
}

// canReport fails early where the page or its card cannot be written, or would take the place of what is read or drawn. It asks for the baseline,
// which the page compares with.
func canReport(s *Spec, o *RunOptions) error {
	files := o.pages()
	if files == nil {
		return nil
	}
	if o.Report != "" && !slices.Contains([]string{".html", ".htm"}, strings.ToLower(filepath.Ext(o.Report))) {
		return fmt.Errorf("%s: a report is a page of HTML; let its name end in .html", o.Report)
	}
	read := []string{o.Data, o.Test, s.Path, s.data().Unlabelled.File}
	for _, in := range s.Included {
		read = append(read, s.resolve(in.Path))
	}
	if o.Draw != "" {
		read = append(read, filepath.Join(o.Draw, pageFile))
	}
	if err := keepsFrom("--report", files, read...); err != nil {
		return err
	}
	for _, path := range files {
		if path == "" {
			continue
		}
		probe, err := whole.New(path, resultMode)
		if err != nil {
			return fmt.Errorf("the report cannot be written: %w; name another file with --report", err)
		}
		probe.Discard()
	}
	o.Baseline = true
	return nil
}

// writePages writes the page of a run and its card, if they are asked for.
func writePages(ctx context.Context, f *findings, rep *report.Report, o RunOptions) error {
	if o.pages() == nil {
		return nil
	}
	p := &pager{of: f, rep: rep, options: o}
	run, err := p.run(ctx)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if ended := limits.Ended(ctx); ended != "" && rep.Missed == "" {
		rep.Missed = ended
	}
	rep.Pages, err = o.writePage(run)
	return err
}

// A written is what makes a page and its card.
type written interface {
	WriteHTML(w io.Writer) error
	WriteCard(b *bytes.Buffer, beside string)
}

// writePage writes a page and its card, as far as they are asked for, and returns their paths. They appear together.
func (o *RunOptions) writePage(of written) (paths []string, err error) {
	var out []*whole.File
	defer func() {
		for _, file := range out {
			file.Discard()
		}
	}()
	var html, card bytes.Buffer
	if err := of.WriteHTML(&html); err != nil {
		return nil, err
	}
	beside := ""
	if o.Report != "" {
		beside = filepath.Base(o.Report)
	}
	of.WriteCard(&card, beside)
	for k, path := range o.pages() {
		if path == "" {
			continue
		}
		file, err := whole.New(path, resultMode)
		if err != nil {
			return nil, cannotWrite(err)
		}
		out, paths = append(out, file), append(paths, path)
		if _, err := file.Write([][]byte{html.Bytes(), card.Bytes()}[k]); err != nil {
			return nil, cannotWrite(err)
		}
	}
	return paths, cannotWrite(whole.Keep(out...))
}

// A pager collects what a page tells of a run.
type pager struct {
	of      *findings
	rep     *report.Report
	options RunOptions
}

// run returns all that the page tells.
func (p *pager) run(ctx context.Context) (*page.Run, error) {
	test, spec := p.of.rows.Test, p.of.rows.Spec
	rep, alone := report.Unmatched(p.rep)
	out := &page.Run{
		Report: rep, Alone: alone, Program: "sipc " + Version, Command: p.command(), Target: p.target(), Image: [2]int{test.Height, test.Width},
		Declared: p.declared(), Gaps: p.gapsShown(), Numbers: p.numbers(), Memory: peakMemory(),
	}
	for _, g := range test.Groups {
		out.Columns = append(out.Columns, g.Name)
	}
	if p.of.rows.Train.Task != setting.Quantiles {
		out.Classes = p.of.rows.Train.LabelNames
	}
	out.Sources, out.Sets = sourcesOf(spec)
	out.Weighted = test.Weight != nil
	machines, drawn, err := p.machines(ctx)
	if err != nil {
		return nil, err
	}
	out.Machines, out.Draws, out.Asked, out.Normal = machines, drawn.Count, drawn.Asked, !drawn.Quantiles()
	if out.Effects, err = p.effects(ctx); err != nil {
		return nil, err
	}
	out.Pulls, err = p.pulls(ctx)
	return out, err
}

// command returns the arguments that repeat the run.
func (p *pager) command() []string {
	if p.options.Call != nil {
		return p.options.Call
	}
	return []string{"sipc", "run", p.of.rows.Spec.Path, p.options.Data, "--seed", strconv.FormatUint(p.of.rows.Seed, 10)}
}

// target returns the name of what is learnt.
func (p *pager) target() string {
	t := &p.of.rows.Preparation.Target
	switch {
	case len(t.Columns) == 1:
		return t.Columns[0]
	case t.Task == setting.Multilabel && len(t.LabelNames) <= 4:
		return strings.Join(t.LabelNames, ", ")
	case t.Task == setting.Multilabel:
		return fmt.Sprintf("%d labels", len(t.LabelNames))
	}
	return t.Name
}

// gapsShown returns the gaps that the certificate counts.
func (p *pager) gapsShown() []float64 {
	gaps := slices.Clone(p.of.fitting.Gaps)
	if p.of.method == setting.Embed || p.of.method == setting.Warp {
		gaps = append(gaps, p.of.gaps...)
	}
	return gaps
}

// declared returns the invariances and measures as the spec has them.
func (p *pager) declared() (out []page.Declared) {
	ex := p.of.instance.Explain(p.of.fitting.Regularizer)
	lines := strings.Split(string(p.of.rows.Spec.Source), "\n")
	for i, all := range [2]int{len(ex.Invariances), len(ex.Measures)} {
		for k := range all {
			inv := ex.Invariances
			if i == 1 {
				inv = ex.Measures
			}
			d := page.Declared{Name: inv[k].Name, Text: inv[k].Text, Theory: inv[k].Theory, Conditions: inv[k].If, Measure: i == 1}
			if place := inv[k].Place; place.File == p.of.rows.Spec.Path {
				d.Line = place.Start.Line
				d.Comment = remark(lines, place.Start.Line, place.End.Line)
			}
			d.Words = p.words(d.Name)
			out = append(out, d)
		}
	}
	return out
}

// remark returns the comment at the end of the lines of a statement; empty where there is none.
func remark(lines []string, from, to int) string {
	for n := from; n <= to && n <= len(lines); n++ {
		tokens := dsl.Tokens("", []byte(lines[n-1]))
		if k := len(tokens) - 1; k > 0 && tokens[k].Kind == dsl.CommentToken {
			return strings.TrimSpace(strings.TrimLeft(tokens[k].Text, "# "))
		}
	}
	return ""
}

// mostPoints is how many test rows a picture of numbers has.
const mostPoints = 1500

// numbers returns truth and predictions of numbers; nil where the target is none.
func (p *pager) numbers() *page.Numbers {
	test := p.of.rows.Test
	if test.Real == nil || test.Len() == 0 {
		return nil
	}
	n := &page.Numbers{Of: test.Len(), Levels: test.Levels}
	predicted := predictedNumbers(test, p.of.scores)
	many := min(test.Len(), mostPoints)
	for k := range many {
		i := k * test.Len() / many
		n.Truth, n.Predicted = append(n.Truth, test.Real[i]), append(n.Predicted, predicted[i])
	}
	for _, q := range test.Levels {
		name := metric.CoverageOf + fmt.Sprint(q)
		v, _ := p.of.metrics.Figures.Get(name)
		n.Coverage = append(n.Coverage, v)
		interval := metric.NoInterval()
		if test.Weight == nil {
			interval = wilsonOf(v, test.Len())
		}
		n.Intervals = append(n.Intervals, interval)
	}
	return n
}
