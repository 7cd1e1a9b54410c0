package model

// posed sets the problem up at a number of nodes. Without all of it there is nothing to give.
func posed(f *fitter, nodes int) (m *minimizer, err error) {
	pose := step{share: 1, whole: true, run: func() (err error) {
		if nodes != f.reg.Nodes {
			err = f.refine(nodes)
		}
		if err == nil {
			m, err = newMinimizer(f)
		}
		return err
	}}
	err = pose.by(f.ctx, f)
	return m, err
}
