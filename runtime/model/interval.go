package model

import (
	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/interval"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// operator sets up the matrix A, which method plain has no use for. Methods risk and dual build theirs with the
// scores of rows below it, in pose.
func (f *fitter) operator() error {
	switch {
	case f.reg.Gauge() == nil:
		return nil
	case !f.o.Method.Embeds():
		f.rep.Nodes = nodesOf(f.reg) // the operator waits for the scale of the features
	case !f.o.Method.Direct():
		if err := f.build(); err != nil {
			return err
		}
		if err := f.intervals(); err != nil {
			return err
		}
	}
	// What features lose is measured where they are made, for fits that are kept.
	if f.o.Map != nil || f.o.Compared > 0 {
		return nil
	}
	return spanned(f)
}

// spanned measures what features that were made for R lose of it.
func spanned(f *fitter) error {
	points := embed.NewPoints(f.seen.X, f.reg.Functionals)
	for i := range f.reg.Invariances {
		inv := &f.reg.Invariances[i]
		report, err := embed.Span(f.ctx, f.rep.Features, points, inv.First, inv.Count, f.o.Seed)
		if err != nil {
			return err
		}
		f.out.Span = append(f.out.Span, report)
	}
	return nil
}

// intervals makes certificates hold for maxima and norms over intervals, where the regularizer tells of their curves.
// It bounds the error of interpolation, and measures what the places between the nodes add to the gap. As long as that
// is more than half of the gap asked for, it takes at least 2N − 1 instead of N nodes. Where no number of nodes is
// enough, embeddings reach the gap at the nodes, and the interval is certified afterwards.
func (f *fitter) intervals() error {
	for {
		if err := f.curves(); err != nil || f.rep.Curves == nil {
			return err
		}
		if err := checkTrial(f); err != nil {
			return err
		}
		f.rep.Afterwards = f.rep.Curves.Integrals()
		e, err := f.paths.Excess(f.ctx, f.rep, f.o.Gap)
		if err != nil || e.Total() <= f.o.Gap/2 {
			return err
		}
		nodes, err := f.paths.Finer(f.ctx, e, f.o.Gap)
		if err != nil {
			return err
		}
		if nodes == f.reg.Nodes {
			f.rep.Afterwards, f.out.Short = true, e.Slack > f.o.Gap/2
			return nil
		}
		if err := f.refine(nodes); err != nil {
			return err
		}
		if err := f.build(); err != nil {
			return err
		}
	}
}

// curves sets up the curves of the representer, or of the risk. Methods that embed certify each embedding by them,
// the others the one minimum. A fit that is compared needs no certificate for what lies between the nodes.
func (f *fitter) curves() (err error) {
	f.rep.Nodes, f.rep.Curves, f.rep.Between, f.between = 0, nil, "", nil
	if f.o.Method == setting.Plain || f.reg.Gauge() == nil || f.o.Compared > 0 {
		return nil
	}
	f.rep.Nodes = nodesOf(f.reg)
	f.paths, err = interval.Know(f.ctx, interval.Setup{
		Regularizer: f.reg, Ground: f.o.Ground, X: f.seen.X, Features: f.rep.Features, Labels: f.rep.Labels, Operator: f.op, Seed: f.o.Seed,
		NoIntegrals: f.o.Method == setting.Dual, // dual coefficients have no densities
	})
	if err != nil {
		return err
	}
	f.rep.Between, f.out.Between = f.paths.Least, f.paths.Paths
	if f.o.Method.Embeds() {
		f.rep.Curves = f.paths.Curves
	} else {
		f.between = f.paths.Curves
	}
	return nil
}

// refine makes the regularizer anew at another number of nodes.
func (f *fitter) refine(nodes int) (err error) {
	if f.reg, err = f.o.Ground(f.ctx, nodes, false); err != nil {
		return err
	}
	f.out.Regularizer = f.reg
	return nil
}

// nodesOf returns how many nodes stand for an interval over which R takes a maximum or an integral; 0 where it
// takes none.
func nodesOf(reg *regularizer.Regularizer) int {
	for i := range reg.Invariances {
		if inv := &reg.Invariances[i]; inv.NodesOnly || len(inv.Curves) > 0 {
			return reg.Nodes
		}
	}
	return 0
}
