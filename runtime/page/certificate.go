package page

import (
	"fmt"

	"github.com/sipc-ml/sipc/runtime/picture"
)

// certificates tells how near what was solved is to its optimum.
func (r *Run) certificates() section {
	s := section{ID: "certificates", Title: "Certificates"}
	rep := r.Report
	c := rep.Certificate
	if c == nil {
		s.Blocks = append(s.Blocks, block{Text: "Method " + rep.Method + " solves no problem of embeddings: the features are used as they are, and there is no gap to bound."})
	} else {
		s.Blocks = append(s.Blocks, gapBlocks(r)...)
	}
	var facts []fact
	if e := scoresOf(r); e != "" {
		facts = append(facts, fact{Term: "error of scores", Text: e})
	}
	if text := rep.IdleText(); text != "" {
		facts = append(facts, fact{Term: "idle", Text: text})
	}
	if l := rep.Learner; l != nil {
		state := "converged"
		if !l.Converged {
			state = "not converged"
		}
		facts = append(facts, fact{Term: "learner", Text: fmt.Sprintf("%s: proven gap %s of its objective, %s after %s", l.Text, short(float64(l.Gap)), state, counted(l.Iterations, "iteration"))})
	}
	if l := rep.Landmarks; l != nil {
		facts = append(facts, fact{Term: "landmarks", Text: l.Text()})
	}
	if sp := rep.Span; sp != nil {
		facts = append(facts, fact{Term: "feature map", Text: fmt.Sprintf("loses %s of the squared norm of the functionals in the median, %s at most, of %s looked at",
			percent(float64(sp.MedianLoss)), percent(float64(sp.MaxLoss)), counted(sp.Count, "functional"))})
	}
	if len(facts) > 0 {
		s.Blocks = append(s.Blocks, block{Facts: facts})
	}
	return s
}

// gapBlocks shows the distribution of gaps. That of one problem is a number.
func gapBlocks(r *Run) (out []block) {
	c := r.Report.Certificate
	text := fmt.Sprintf("Each embedding is the solution of a convex problem. Its gap bounds, by duality and in float64, how far its norm lies from the optimum. %s of %s reached the target of %s. The largest gap is %s, the median %s.",
		grouped(c.Reached), counted(c.Count, "embedding"), short(float64(c.Target)), short(float64(c.MaxGap)), short(float64(c.MedianGap)))
	if c.Count == 1 {
		text = fmt.Sprintf("One convex problem is solved for all rows. Its gap bounds, by duality and in float64, how far its value lies above the minimum: %s, where %s was asked for.",
			short(float64(c.MaxGap)), short(float64(c.Target)))
	}
	if c.Nodes > 0 {
		text += fmt.Sprintf(" %d nodes stand for an interval; between them all is %s.", c.Nodes, map[string]string{"proved": "proved", "measured": "known by a measured error", "nodes": "unknown"}[c.Between])
	}
	out = append(out, block{Text: text})
	if c.Contradictions > 0 {
		out = append(out, block{Callout: &callout{bad, "A fault of the program.", fmt.Sprintf("Of %s the bounds contradict each other, so that nothing is proved there.", counted(c.Contradictions, "problem"))}})
	}
	if bins, _ := picture.LogBins(r.Gaps); c.Count > 1 && len(bins) > 0 {
		p := &picture.Histogram{
			Heading: picture.Heading{
				Title: "Gaps of the embeddings", Note: "those left of the target reached it", Value: "embeddings",
				Desc: fmt.Sprintf("%d of %d gaps are at most the target %s; the median is %s, the largest %s", c.Reached, c.Count, short(float64(c.Target)), short(float64(c.MedianGap)), short(float64(c.MaxGap))),
			},
			Axis: "relative gap", Bins: bins, Mark: float64(c.Target), MarkName: "target",
		}
		out = append(out, block{Figures: []figure{figureOf(p.Draw(), "A quarter of a decade each. Gaps of 0 stand at the left end.")}})
	}
	return out
}

// scoresOf says how far scores may be off; empty where that is not known.
func scoresOf(r *Run) string {
	if r.Report.Certificate == nil || r.Report.Certificate.Scores == nil {
		return ""
	}
	e := r.Report.Certificate.Scores
	switch {
	case !(e.Largest <= 1) && e.Together():
		return fmt.Sprintf("scores of the training rows are within %s of their standard deviation in the root mean square; a single one may be off by more than a standard deviation", percent(float64(e.Train.MeanSquare)))
	case !(e.Largest <= 1):
		return "uncertain: the gap is too wide to bound scores by less than their standard deviation"
	}
	text := fmt.Sprintf("scores of the test rows are within %s of their standard deviation from those of the exact solution, %s in the median", percent(float64(e.Largest)), percent(float64(e.Median)))
	if e.Gap > 0 {
		text += fmt.Sprintf("; --gap %s asks for %s", short(float64(e.Gap)), percent(float64(e.Aim)))
	}
	return text
}
