package plugins

// An AffineFamily is a family of which some maps write each coordinate of a point as an affine function of one coordinate. Statements that must
// hold everywhere can then be proved of moved points. A family that runs as a process is none.
type AffineFamily interface {
	Family
	// Affine returns the coordinates that a map writes; all others stay. The call has no functionals. It fails where Map would.
	Affine(data *Data, call *MapCall) ([]Coordinate, error)
}

// A Coordinate says that coordinate To of a moved point is Factor·x[From] + Offset, in prepared units. A negative From means that
// no coordinate enters.
type Coordinate struct {
	To, From       int
	Factor, Offset float64
}
