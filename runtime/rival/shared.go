package rival

import (
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/embed"
	"github.com/sipc-ml/sipc/runtime/learn"
)

// A shared is the last representation of some training rows. Settings of one width have the same, and the same Gram
// matrix. So settings that are compared on the same rows one after the other make it once.
type shared struct {
	width    float64
	features embed.Map
	phi      *mat.Dense // of the rows
	// scale is that of augment, whose phi holds copies of rows.
	scale float64
	rows  []int
	made  *learn.Design
}

// holds reports whether the representation is that of a width.
func (s *shared) holds(width float64) bool { return s != nil && s.features != nil && s.width == width }

// keep takes a representation; nil takes none.
func (s *shared) keep(made shared) {
	if s != nil {
		*s = made
	}
}

// design returns that of the rows' representation, made once.
func (s *shared) design(phi *mat.Dense, labels int) (*learn.Design, error) {
	if s == nil {
		return learn.Shared(phi, labels)
	}
	var err error
	if s.made == nil {
		s.made, err = learn.Shared(phi, labels)
	}
	return s.made, err
}
