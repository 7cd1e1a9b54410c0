package page

// effects shows what the columns do.
func (r *Run) effects() section {
	s := section{ID: "effects", Title: "What the columns do"}
	e := r.Effects
	if e == nil {
		return s
	}
	s.Blocks = append(s.Blocks, block{Text: e.Note})
	if len(e.Pictures) == 0 {
		return s
	}
	var figures []figure
	for _, p := range e.Pictures {
		f := figureOf(p.SVG, p.Note)
		f.Wide = p.Wide
		figures = append(figures, f)
	}
	s.Blocks = append(s.Blocks, block{Figures: figures})
	if e.Left > 0 {
		s.Blocks = append(s.Blocks, block{Quiet: true, Text: counted(e.Left, "further picture", "is", "are") + " left out here; --draw FOLDER draws more."})
	}
	return s
}
