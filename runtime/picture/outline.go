package picture

import "strings"

// A field is values on a grid, with a border of one more point all around. The border lies where the outermost points do, and below all levels.
type field struct {
	x, y []float64   // pixels of the grid's columns and rows
	z    [][]float64 // rows of values
}

// at returns a value; ok is false on the border.
func (f *field) at(i, j int) (z float64, ok bool) {
	if i < 0 || j < 0 || i >= len(f.y) || j >= len(f.x) {
		return 0, false
	}
	return f.z[i][j], true
}

// place returns where a point of the grid stands, one of the border where its neighbour does.
func (f *field) place(i, j int) (x, y float64) {
	return f.x[min(max(j, 0), len(f.x)-1)], f.y[min(max(i, 0), len(f.y)-1)]
}

// A side of a cell goes from a point of the grid to the next one of its row, or of its column if down.
type side struct {
	i, j int
	down bool
}

// ends returns the points of a side.
func (s side) ends() (i, j, i2, j2 int) {
	if s.down {
		return s.i, s.j, s.i + 1, s.j
	}
	return s.i, s.j, s.i, s.j + 1
}

// crossing returns where z = level on a side, and whether that lies on the border.
func (f *field) crossing(s side, level float64) (x, y float64, border bool) {
	i, j, i2, j2 := s.ends()
	x, y = f.place(i, j)
	x2, y2 := f.place(i2, j2)
	a, ok := f.at(i, j)
	b, ok2 := f.at(i2, j2)
	if !ok || !ok2 {
		if !ok { // the place of the inner point
			x, y = x2, y2
		}
		return x, y, true
	}
	t := (level - a) / (b - a)
	return x + t*(x2-x), y + t*(y2-y), false
}

// above reports whether a point has at least the level. The border has not.
func (f *field) above(i, j int, level float64) bool {
	z, ok := f.at(i, j)
	return ok && z >= level
}

// segments returns the pairs of sides of each cell that the outline of {z ≥ level} joins. Where two corners across are above, the mean of all
// four decides which of both are joined.
func (f *field) segments(level float64) (out [][2]side) {
	for i := -1; i < len(f.y); i++ {
		for j := -1; j < len(f.x); j++ {
			top, left := side{i, j, false}, side{i, j, true}
			bottom, right := side{i + 1, j, false}, side{i, j + 1, true}
			corners := 0
			for k, at := range [4][2]int{{i, j}, {i, j + 1}, {i + 1, j + 1}, {i + 1, j}} {
				if f.above(at[0], at[1], level) {
					corners |= 1 << k
				}
			}
			switch corners {
			case 0, 15:
			case 1, 14:
				out = append(out, [2]side{left, top})
			case 2, 13:
				out = append(out, [2]side{top, right})
			case 4, 11:
				out = append(out, [2]side{right, bottom})
			case 8, 7:
				out = append(out, [2]side{bottom, left})
			case 3, 12:
				out = append(out, [2]side{left, right})
			case 6, 9:
				out = append(out, [2]side{top, bottom})
			case 5, 10:
				out = append(out, f.saddle(i, j, level, corners == 5)...)
			}
		}
	}
	return out
}

// saddle returns the two segments of a cell with two corners across above the level, those of its first corner or the others.
func (f *field) saddle(i, j int, level float64, first bool) [][2]side {
	top, left := side{i, j, false}, side{i, j, true}
	bottom, right := side{i + 1, j, false}, side{i, j + 1, true}
	mean, inner := 0.0, true
	for _, at := range [4][2]int{{i, j}, {i, j + 1}, {i + 1, j + 1}, {i + 1, j}} {
		z, ok := f.at(at[0], at[1])
		mean, inner = mean+z/4, inner && ok
	}
	if joined := inner && mean >= level; joined == first {
		return [][2]side{{top, right}, {bottom, left}}
	}
	return [][2]side{{left, top}, {right, bottom}}
}

// loops joins segments to closed outlines: each side belongs to two segments.
func loops(segments [][2]side) (out [][]side) {
	of := map[side][]int{}
	for k, s := range segments {
		of[s[0]], of[s[1]] = append(of[s[0]], k), append(of[s[1]], k)
	}
	used := make([]bool, len(segments))
	for k := range segments {
		if used[k] {
			continue
		}
		var loop []side
		for at, from := k, segments[k][0]; at >= 0; {
			used[at] = true
			loop = append(loop, from)
			if segments[at][0] == from {
				from = segments[at][1]
			} else {
				from = segments[at][0]
			}
			next := -1
			for _, n := range of[from] {
				if !used[n] {
					next = n
				}
			}
			at = next
		}
		out = append(out, loop)
	}
	return out
}

// outline returns the paths of {z ≥ level}: its area, and the lines z = level alone, without the border.
func (f *field) outline(level float64) (area, lines string) {
	var a, l strings.Builder
	for _, loop := range loops(f.segments(level)) {
		pen := false
		for k := range len(loop) + 1 {
			x, y, border := f.crossing(loop[k%len(loop)], level)
			if k < len(loop) {
				move(&a, x, y, k > 0)
			}
			if border {
				pen = false
				continue
			}
			move(&l, x, y, pen)
			pen = true
		}
		a.WriteByte('z')
	}
	return a.String(), l.String()
}

// move adds a point to a path, with a line to it or none.
func move(b *strings.Builder, x, y float64, line bool) {
	b.WriteByte(map[bool]byte{true: 'L', false: 'M'}[line])
	b.WriteString(px(x) + " " + px(y))
}
