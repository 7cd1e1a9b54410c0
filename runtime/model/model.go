package model

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/learn"
	"github.com/sipc-ml/sipc/runtime/proof"
	"github.com/sipc-ml/sipc/runtime/regularizer"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/statement"
)

// A Model is a fitted model: a representation of rows, and a linear function of it. It may be used by one
// goroutine at a time, as its Representer may.
type Model struct {
	Represent *represent.Representer
	Fit       *learn.Fit
	About     About
	// Witnesses say what the invariances come to at the fitted function, and which of their members are to blame. It is
	// one function of rows and labels, ⟨W, ι(x, y)⟩ + b_y for methods that embed and V itself with biases for the
	// others, and each R_k has one value there. It is scaled so that its standard deviation over the training rows,
	// about the mean of each label, is 1.
	//
	// Nil means that nobody asked for them, or that the model is of a program without them.
	Witnesses *report.Witnesses
	// Nearness says how near scores are to those of exact solutions. It is nil where nothing was solved for, or if
	// the model is of a program that did not say.
	Nearness *Nearness
	// Coefficients (landmarks × m) are those of f at the landmarks of its features, so that f(x)_y = Σ_i a_iy L_i k(·, z_i) + b_y: the
	// function that predicts, and that statements are proved of. Nil where scores are not such sums.
	Coefficients *mat.Dense
	// Requirements are the statements that f was fitted to keep, with what is proved of them.
	Requirements []Requirement
	// Rows are training rows to draw f with. Nil means that nobody asked for them, or that they are too long.
	Rows *Rows
	// Twin is f without what it is required to keep; nil where nobody asked for it.
	Twin *Twin
	// Closure are implications between labels, which scores or probabilities keep as ClosingOf says.
	Closure []regularizer.Implication
	// Declared says that the implications are those of R, and that the spec has no `decode closure`.
	Declared bool
	// SHA256 is that of the file that the model was read from, in hexadecimal; empty where it was fitted.
	SHA256 string
}

// A Requirement is a statement about f, and what was found of it.
type Requirement struct {
	Statement statement.Statement
	Verdict   *proof.Verdict
	// Aim is the margin that the fit aimed at.
	Aim float64
	// Seconds is the time that [Prove] took to decide it; 0 for a fit.
	Seconds float64
}

// A Proof holds the certificates of scores.
type Proof struct {
	Gaps []float64 // of the embeddings that they come from
	// Errors bound by how much each score (n×m) may differ from that of exact embeddings, or of the exact
	// minimizer of the risk. Nil where nothing is known.
	Errors *mat.Dense
}

// About says where a model comes from and what it makes of rows.
type About struct {
	Preparation *dataset.Preparation
	Spec        []byte // the spec's text
	SpecSHA256  string
	DataSHA256  string
	Seed        uint64
	Program     string // that wrote the model
	// Families are the programs that the spec uses, as the sipc.lock beside it pins them.
	Families []report.Pin
}

// vector returns a slice as BLAS takes it, without a copy.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
