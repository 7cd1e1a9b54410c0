package verify

import (
	"context"
	"slices"
	"time"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/probe"
)

const (
	// largeColumns is how many columns large data have, and wideLabels how many labels.
	largeColumns, wideLabels = 512, 300
	// largeSide is that of images.
	largeSide = 28
	// longEnough is how long an answer is looked at.
	longEnough = 10 * time.Second
	// mostSeen is how much of an answer is looked at.
	mostSeen = 128 << 20
)

// large asks about data of 64 MiB. An answer that goes on is left after a while: it came.
func large(ctx context.Context, s *suite) {
	for sub, p := range s.asked(ctx) {
		if refusesUsual(ctx, s, sub) {
			continue
		}
		q := &question{subject: sub, data: s.largeData(sub), seed: 7}
		began := time.Now()
		a, err := q.upTo(ctx, p, mostSeen, longEnough)
		took := time.Since(began)
		s.check.Tried++
		answeredOrRefused(s, q, "large data", err)
		if err == nil {
			s.notef("%v: %d rows, %.0f MiB in, %.0f MiB out, %.1f s", sub, q.data.N(), float64(8*len(q.data.Rows.Data))/(1<<20), float64(a.bytes)/(1<<20), took.Seconds())
		}
	}
}

// largeData returns data of many rows and columns, with many labels.
func (s *suite) largeData(sub *subject) *plugins.Data {
	p, image := largeColumns, sub.of != nil && sub.of.NeedsImage
	if image {
		p = largeSide * largeSide
	}
	n := s.sizes.large / p
	table, ok := s.tables[[2]int{n, p}]
	if !ok {
		table = probe.Table(n, p, wideLabels, 19)
		s.tables[[2]int{n, p}] = table
	}
	d := *table
	d.Columns = slices.Clone(table.Columns)
	sub.nameColumns(&d, sub.needs().Names)
	if sub.labels == 0 {
		d.LabelNames, d.Labels = nil, nil
	}
	if image {
		d.Height, d.Width = largeSide, largeSide
	}
	return &d
}
