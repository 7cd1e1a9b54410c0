package dataset

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// Untold returns the set without its targets: neither as such nor as columns.
func (s *Set) Untold() *Set {
	out := *s
	n := s.Len()
	out.HasTarget, out.untold = false, true
	out.Class, out.Strange, out.Real, out.Multi = nil, nil, nil, nil
	switch s.Task {
	case setting.Multilabel:
		out.Multi = mat.NewDense(n, len(s.LabelNames), nil)
	case setting.Real, setting.Counts, setting.Quantiles:
		out.Real = slices.Repeat([]float64{math.NaN()}, n)
	case setting.Binary, setting.Class:
		out.Class = slices.Repeat([]int{-1}, n)
	case setting.NoTask:
	}
	return &out
}

// With returns the set's rows and, after them, those of sets that [Set.Untold] made. They were all prepared alike.
func (s *Set) With(untold ...*Set) *Set {
	if len(untold) == 0 {
		return s
	}
	out := *s
	out.joined = append([]*Set{s}, untold...)
	n, p := 0, len(s.Columns)
	for _, part := range out.joined {
		n += part.Len()
	}
	out.X = mat.NewDense(n, p, nil)
	out.Rows, out.IDs, out.Class, out.Strange, out.Real, out.Lengths, out.Weight, out.Times, out.Clipped = nil, nil, nil, nil, nil, nil, nil, nil, nil
	if s.Multi != nil {
		out.Multi = mat.NewDense(n, len(s.LabelNames), nil)
	}
	for _, part := range out.joined {
		at := len(out.Rows)
		out.X.Slice(at, at+part.Len(), 0, p).(*mat.Dense).Copy(part.X) //nolint:forcetypeassert // a slice of a Dense is one
		if s.Multi != nil {
			out.Multi.Slice(at, at+part.Len(), 0, len(s.LabelNames)).(*mat.Dense).Copy(part.Multi) //nolint:forcetypeassert // as above
		}
		out.Rows, out.IDs, out.Class = append(out.Rows, part.Rows...), append(out.IDs, AllIDs(part)...), append(out.Class, part.Class...)
		out.Real, out.Lengths = append(out.Real, part.Real...), append(out.Lengths, part.Lengths...)
		for r := 0; s.Weight != nil && r < part.Len(); r++ {
			out.Weight = append(out.Weight, weightOf(part.Weight, r))
		}
	}
	if s.Strange != nil {
		out.Strange = append(slices.Clone(s.Strange), make([]string, n-s.Len())...)
	}
	return &out
}

// Told returns how many of the set's rows are its own, the first ones. Behind them are those that [Set.With] added, without a label.
func (s *Set) Told() int {
	if s.joined == nil {
		return s.Len()
	}
	return s.joined[0].Len()
}

// joinedColumn returns a column of all joined sets, of the kind that the first of them has. What a further one lacks, or
// nobody is told, is a gap.
func (s *Set) joinedColumn(name string) (raw Raw, ok bool) {
	for k, part := range s.joined {
		own, known := part.Column(name)
		if k == 0 {
			if raw, ok = own, known; !ok {
				return raw, false
			}
			raw.Numbers, raw.Texts = slices.Clone(raw.Numbers), slices.Clone(raw.Texts)
			continue
		}
		for i := range part.Len() {
			number, text := math.NaN(), ""
			switch {
			case own.Texts != nil:
				text = own.Texts[i]
				if v, kind := readNumber(text); kind == cellNumber {
					number = v
				}
			case known && !math.IsNaN(own.Numbers[i]):
				number, text = own.Numbers[i], formatNumber(own.Numbers[i])
			}
			if raw.Texts != nil {
				raw.Texts = append(raw.Texts, text)
			} else {
				raw.Numbers = append(raw.Numbers, number)
			}
		}
	}
	return raw, ok
}

// isTarget reports whether a column holds the target, or labels that the rows carry.
func (s *Set) isTarget(name string) bool {
	return slices.Contains(s.targets, name) || name == LabelName || name != "" && name == s.target
}
