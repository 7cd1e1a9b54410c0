package plugins

// Select returns some functionals of a block as one by themselves, with the points, tangents and labels that they use.
func (b *Block) Select(wanted func(functional int) bool) *Block {
	out := &Block{Start: []int32{0}}
	points, tangents, labels := map[int32]int32{}, map[int32]int32{}, map[int32]int32{NoLabel: NoLabel}
	for i := range b.Len() {
		if !wanted(i) {
			continue
		}
		for k := b.Start[i]; k < b.Start[i+1]; k++ {
			point, label := b.Point[k], b.Label[k]
			if point < 0 {
				point = ^moved(points, ^point, &b.Points, &out.Points)
			}
			if _, known := labels[label]; !known {
				labels[label] = int32(len(out.Labels))
				out.Labels = append(out.Labels, b.Labels[label])
			}
			out.Term(b.Coef[k], point, along(b.Tangent[k], func(row int32) int32 { return moved(tangents, row, &b.Tangents, &out.Tangents) }), labels[label])
		}
		out.End()
	}
	return out
}

// moved returns the number that a row of a matrix has in another one, to which it is added when it is first asked for.
func moved(known map[int32]int32, row int32, from, to *Matrix) int32 {
	at, ok := known[row]
	if !ok {
		at = int32(to.Append(from.Row(int(row))))
		known[row] = at
	}
	return at
}

// along returns a number in Block.Tangent whose row has another number.
func along(tangent int32, number func(row int32) int32) int32 {
	switch order, row := OrderOf(tangent); order {
	case 1:
		return number(row)
	case 2:
		return Twice(number(row))
	}
	return tangent
}

// Join appends the functionals of another block.
func (b *Block) Join(more *Block) {
	points, tangents, labels := int32(b.Points.Rows), int32(b.Tangents.Rows), int32(len(b.Labels))
	b.Points.join(&more.Points)
	b.Tangents.join(&more.Tangents)
	b.Labels = append(b.Labels, more.Labels...)
	for i := range more.Len() {
		for k := more.Start[i]; k < more.Start[i+1]; k++ {
			point, label := more.Point[k], more.Label[k]
			if point < 0 {
				point = ^(points + ^point)
			}
			if label != NoLabel {
				label += labels
			}
			b.Term(more.Coef[k], point, along(more.Tangent[k], func(row int32) int32 { return tangents + row }), label)
		}
		b.End()
	}
}

// MoveRows counts the rows at which a block looks from another one on: row i becomes row first + i.
func (b *Block) MoveRows(first int) {
	for k, point := range b.Point {
		if point >= 0 {
			b.Point[k] += int32(first)
		}
	}
}

// join appends the rows of another matrix.
func (m *Matrix) join(more *Matrix) {
	if more.Rows == 0 {
		return
	}
	m.Rows, m.Cols, m.Data = m.Rows+more.Rows, more.Cols, append(m.Data, more.Data...)
}
