package sipc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/metric"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/represent"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// LoadModel reads a model file.
func LoadModel(ctx context.Context, path string) (*model.Model, error) { return model.Load(ctx, path) }

// An Application is what a model says of a data file.
type Application struct {
	Predictions *Predictions
	Metrics     metric.Figures // nil where the file has no target
	Compared    int            // rows that Metrics are of
	Certificate *report.Certificate
	Roots       []string         // labels that the metric auprc leaves out
	Unseen      []dataset.Unseen // what the rows hold that no training row does
	Warnings    []string
}

// ApplyOptions say how a model is applied. The zero value will do.
type ApplyOptions struct {
	Strict bool // rows that hold what no training row does are an error
	Radius bool // predictions have radii within which no point is decided otherwise
	// Unasked leaves out what is known of rows by the verdicts of the model file, and the warnings about it.
	Unasked  bool
	Progress func(done, total int)
}

// Predict applies a model to every row of a data file. The file needs the features by name; the target may be there.
func Predict(ctx context.Context, m *model.Model, path string, o ApplyOptions) (*Application, error) {
	table, err := openData(ctx, path)
	if err != nil {
		return nil, err
	}
	return PredictTable(ctx, m, table, o)
}

// PredictTable applies a model to every row of a table, as Predict does to those of a file.
func PredictTable(ctx context.Context, m *model.Model, table *dataset.Table, o ApplyOptions) (*Application, error) {
	set, err := rowsFor(ctx, m, table, o.Strict)
	if err != nil {
		return nil, err
	}
	if err := fits(ctx, m.Represent, set); err != nil {
		return nil, err
	}
	scores, proof, err := m.Scores(ctx, set.X, o.Progress, nil)
	if err != nil {
		return nil, err
	}
	if err := model.CheckScores(scores); err != nil {
		return nil, fmt.Errorf("%s: %w", table.Path, err)
	}
	gaps := proof.Gaps
	if !m.Represent.Method.Embeds() {
		gaps = []float64{m.Fit.Gap} // of the one problem that was solved
	}
	warnings := set.Warnings
	if names := strays(m, set); len(names) > 0 {
		warnings = append(slices.Clone(warnings), "outside the training range the score need not obey "+strings.Join(names, ", "))
	}
	predictions := newPredictions(m, set, scores)
	if !o.Unasked {
		if predictions.Standing, err = standings(ctx, m, set, scores, o.Progress); err != nil {
			return nil, err
		}
	}
	warnings = slices.Concat(warnings, lacking(m, predictions.Standing))
	if predictions.Standing != nil {
		warnings = append(warnings, "the column proved takes the verdicts of the model file at their word; sipc prove decides them again")
	}
	out := &Application{
		Predictions: predictions, Warnings: warnings, Unseen: set.Unseen, Certificate: certificate(gaps, m.Represent),
	}
	if out.Certificate != nil {
		out.Certificate.Scores = scoreErrors(proof.Errors, m)
	}
	if o.Radius {
		if out.Predictions.Radii, err = model.Radii(m, scores); err != nil {
			return nil, fmt.Errorf("the model tells no radius: %w", err)
		}
	}
	if m.Represent.Method.Embeds() {
		if err := anyReached(ctx, out.Certificate); err != nil {
			return nil, err
		}
	}
	if set.HasTarget {
		out.compare(m, set, scores)
	}
	return out, nil
}

// compare measures the scores of rows that have a target.
func (a *Application) compare(m *model.Model, set *dataset.Set, scores *mat.Dense) {
	compared, at := set.Compared()
	scores = rowsOf(scores, at)
	a.Roots, a.Compared = set.RootNames(), len(at)
	a.Metrics = Figures(compared, compared, scores, model.Probabilities(m, scores)).Without(metric.MajorityBaseline)
}

// fits returns an error where embedding rows would take more memory than there may be. Supports make that little.
func fits(ctx context.Context, rep *represent.Representer, rows *dataset.Set) error {
	if rep.Support != nil {
		return nil
	}
	n, p := rows.X.Dims()
	taken := limits.Need{Bytes: limits.Taken(ctx), What: fmt.Sprintf("the program, the model and %d rows of %d columns", n, p), Mend: "apply it to fewer rows at a time"}
	return limits.Check(ctx, append(rep.Needs(n), taken))
}

// rowsOf returns some rows of a matrix.
func rowsOf(m *mat.Dense, at []int) *mat.Dense {
	_, width := m.Dims()
	out := mat.NewDense(len(at), width, nil)
	for k, i := range at {
		out.SetRow(k, m.RawRowView(i))
	}
	return out
}

// strays returns the invariances that the score may break at rows outside the range of the training rows; none where no row lies there.
func strays(m *model.Model, set *dataset.Set) (names []string) {
	outside := slices.ContainsFunc(set.Unseen, func(u dataset.Unseen) bool { return u.Texts == nil })
	if !outside || m.Witnesses == nil {
		return nil
	}
	for i := range m.Witnesses.Invariances {
		if w := &m.Witnesses.Invariances[i]; !w.Everywhere {
			names = append(names, w.Name)
		}
	}
	return names
}

// EmbedRows writes the embeddings of every row of a data file to a file whose name ends in .npy or .csv. They are those of the report,
// times its scale. There are no predictions then, and no metrics. A model of a method that makes none is an *EmbeddingsError.
func EmbedRows(ctx context.Context, m *model.Model, path, out string, o ApplyOptions) (*Application, error) {
	if !m.Represent.Method.Embeds() {
		return nil, &EmbeddingsError{Method: m.Represent.Method}
	}
	return writeRows(ctx, m, m.Represent, embeddingNumbers, path, out, o)
}

// FeatureRows writes the features φ(x) of every row of a data file to a file, as EmbedRows writes embeddings. They are not scaled, so that
// inner products of embeddings ι(x) with φ(x′) are G(x′, x) times the scale of the embeddings.
func FeatureRows(ctx context.Context, m *model.Model, path, out string, o ApplyOptions) (*Application, error) {
	return writeRows(ctx, m, featuresOf(m), featureNumbers, path, out, o)
}

// EmbedTable returns the embeddings of every row of a table, n × PerRow·Dim, those of a row's labels side by side. They are those that EmbedRows
// writes. With features it returns φ(x) as FeatureRows does, n × Dim.
func EmbedTable(ctx context.Context, m *model.Model, table *dataset.Table, features bool, o ApplyOptions) (*mat.Dense, *Application, error) {
	rep := m.Represent
	switch {
	case features:
		rep = featuresOf(m)
	case !rep.Method.Embeds():
		return nil, nil, &EmbeddingsError{Method: rep.Method}
	}
	set, err := rowsFor(ctx, m, table, o.Strict)
	if err != nil {
		return nil, nil, err
	}
	out := mat.NewDense(set.Len(), rep.PerRow()*rep.Dim(), nil)
	data, at := out.RawMatrix().Data, 0
	done, err := eachRow(ctx, m, rep, set, o.Progress, func(p represent.Batch) error {
		n, _ := p.Iota.Dims()
		for i := range n {
			at += copy(data[at:], p.Iota.RawRowView(i))
		}
		return nil
	})
	if err == nil {
		err = anyReached(ctx, done.Certificate)
	}
	return out, done, err
}

// featuresOf returns what represents rows by their features φ(x), as they are.
func featuresOf(m *model.Model) *represent.Representer {
	return &represent.Representer{Method: setting.Plain, Features: m.Represent.Features, Labels: 1, Scale: 1}
}

// eachRow hands the representations of prepared rows on, batch by batch. It returns what there is to say of them.
func eachRow(
	ctx context.Context, m *model.Model, rep *represent.Representer, set *dataset.Set, progress func(done, total int), emit func(represent.Batch) error,
) (*Application, error) {
	if err := fits(ctx, rep, set); err != nil {
		return nil, err
	}
	var gaps []float64
	err := rep.Each(ctx, set.X, progress, func(p represent.Batch) error {
		gaps = append(gaps, p.Gap...)
		return emit(p)
	})
	if err != nil {
		return nil, err
	}
	done := &Application{Warnings: set.Warnings, Unseen: set.Unseen}
	if rep == m.Represent {
		done.Certificate = certificate(gaps, rep)
	}
	return done, nil
}

// writeRows writes the representations of every row of a data file. What is exact has no certificate.
func writeRows(ctx context.Context, m *model.Model, rep *represent.Representer, numbers, path, out string, o ApplyOptions) (*Application, error) {
	set, err := openFor(ctx, m, path, o.Strict)
	if err != nil {
		return nil, err
	}
	s, err := newEmbeddingSink(out, &caption{set: set, perRow: rep.PerRow(), numbers: numbers}, rep.Dim())
	if err != nil {
		return nil, err
	}
	defer s.discard()
	done, err := eachRow(ctx, m, rep, set, o.Progress, s.write)
	if err != nil {
		return nil, err
	}
	if err := anyReached(ctx, done.Certificate); err != nil {
		return nil, err
	}
	return done, appear(s)
}

// anyReached returns an error where the time was over before any embedding reached its gap: that is not a result.
func anyReached(ctx context.Context, c *report.Certificate) error {
	if ended := limits.Ended(ctx); ended != "" && c != nil && c.Reached == 0 {
		return fmt.Errorf("%s: no embedding reached its gap, and nothing is written; allow more by --time-limit", ended)
	}
	return nil
}

// certificate sums up the gaps of embeddings.
func certificate(gaps []float64, rep *represent.Representer) *report.Certificate {
	return report.SummarizeGaps(gaps, rep.Gap).Over(rep.Nodes, string(rep.Between))
}

// scoreErrors sums up bounds on the errors of scores; nil where nothing is known of them.
func scoreErrors(errs *mat.Dense, m *model.Model) *report.ScoreErrors {
	if errs == nil {
		return nil
	}
	return report.SummarizeErrors(errs.RawMatrix().Data, m.Nearness.Spread)
}

// openFor reads a file and prepares its rows as the model's training rows were. Strict refuses values that the
// training rows do not have.
func openFor(ctx context.Context, m *model.Model, path string, strict bool) (*dataset.Set, error) {
	table, err := openData(ctx, path)
	if err != nil {
		return nil, err
	}
	return rowsFor(ctx, m, table, strict)
}

// rowsFor prepares the rows of a table as openFor does those of a file.
func rowsFor(ctx context.Context, m *model.Model, table *dataset.Table, strict bool) (*dataset.Set, error) {
	set, err := m.About.Preparation.Apply(ctx, table)
	if err == nil && strict {
		err = set.RefuseUnseen()
	}
	if k := m.Represent.Features.Kernel(); err == nil && !bounded(k) {
		_, err = boundedAt(k, set)
	}
	return set, err
}
