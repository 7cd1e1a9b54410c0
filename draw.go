package sipc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/sipc-ml/sipc/internal/whole"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/picture"
	"github.com/sipc-ml/sipc/runtime/report"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// DrawOptions say how a model is drawn. The zero value will do.
type DrawOptions struct {
	Data     string       // a file of rows, over which means are taken; empty stands for the training rows that the model keeps
	Against  *model.Model // whose function stands beside; nil stands for the model's own without what is required, where it has such
	Surfaces int          // how many surfaces are drawn, those of the largest variance; 0 stands for 6

	rows *model.Rows // nil stands for those of Data
}

// mostDrawn is how many columns are drawn.
const mostDrawn = 256

// usualSurfaces is how many surfaces are drawn where nobody says otherwise.
const usualSurfaces = 6

// pageFile is the page that shows all pictures of a folder.
const pageFile = "index.html"

// Draw writes pictures of a model into a folder: a curve for each column, the surfaces that matter most, and a page that shows them. Of a
// function that is no sum over columns and pairs it draws partial dependence. It returns the paths, the page first. The files appear together.
func Draw(ctx context.Context, m *model.Model, folder string, o DrawOptions) ([]string, error) {
	if err := canDraw(folder); err != nil {
		return nil, err
	}
	a, err := newAlbum(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("%s: the folder for the pictures cannot be made: %w; name another with --draw", folder, err)
	}
	return a.write(ctx, folder)
}

// canDraw fails where something else than a folder stands in the place of one for pictures.
func canDraw(folder string) error {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: the folder for the pictures cannot be made: a file stands in its place; name another with --draw", folder)
	}
	return nil
}

// An album is pictures and their page, before they are written.
type album struct {
	model   *model.Model
	rows    *model.Rows
	columns []*drawnColumn
	page    picture.Page
	files   []albumFile
	names   map[string]bool
	// Of a sum: how many curves and surfaces f has.
	curves, surfaces int
}

// An albumFile is a picture.
type albumFile struct {
	name    string
	content []byte
}

// newAlbum draws a model.
func newAlbum(ctx context.Context, m *model.Model, o DrawOptions) (*album, error) {
	a, err := newAlbumOfSum(ctx, m, o)
	if errors.Is(err, errNoSum) {
		err = a.drawPartial(ctx, o)
	}
	return a, err
}

// newAlbumOfSum draws a model whose function is a sum over columns and pairs. It returns errNoSum, and an album without pictures, where f is none.
func newAlbumOfSum(ctx context.Context, m *model.Model, o DrawOptions) (*album, error) {
	var err error
	rows := o.rows
	if rows == nil {
		if rows, err = drawnRows(ctx, m, o.Data); err != nil {
			return nil, err
		}
	}
	a := &album{model: m, rows: rows, names: map[string]bool{}}
	if a.columns, err = drawnColumns(m, rows); err != nil {
		return nil, err
	}
	s, err := takeApart(ctx, m, rows, o.Data, o.Against)
	if err == nil {
		err = a.drawSum(ctx, s, o)
	}
	return a, err
}

// write lets all files appear in a folder.
func (a *album) write(ctx context.Context, folder string) (paths []string, err error) {
	var files []*whole.File
	defer func() {
		for _, f := range files {
			f.Discard()
		}
	}()
	for _, file := range append([]albumFile{{pageFile, a.page.Write()}}, a.files...) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := filepath.Join(folder, file.name)
		f, err := whole.New(path, resultMode)
		if err != nil {
			return nil, cannotDraw(path, err)
		}
		files, paths = append(files, f), append(paths, path)
		if _, err := f.Write(file.content); err != nil {
			return nil, cannotDraw(path, err)
		}
	}
	if err := whole.Keep(files...); err != nil {
		return nil, cannotDraw(folder, err)
	}
	return paths, nil
}

// cannotDraw returns the error of a picture or folder that cannot be written.
func cannotDraw(path string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		path, err = inner.Path, inner.Err
	}
	return fmt.Errorf("%s: the pictures cannot be written: %w; name another folder with --draw", path, err)
}

// add adds a picture, and returns it as the page shows it.
func (a *album) add(kind, title string, content []byte) picture.Image {
	name := kind + "-" + slug(title)
	for k := 2; a.names[name]; k++ {
		name = fmt.Sprintf("%s-%s-%d", kind, slug(title), k)
	}
	a.names[name] = true
	a.files = append(a.files, albumFile{name + ".svg", content})
	return picture.Image{File: name + ".svg", Title: title}
}

// slug returns a title as the name of a file has it: letters and digits, and a dash for anything else.
func slug(title string) string {
	fields := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	name := []rune(strings.Join(fields, "-"))
	return string(name[:min(len(name), 60)])
}

// column returns the drawn column of a component of the kernel.
func (a *album) column(c *setting.Component) *drawnColumn {
	for _, d := range a.columns {
		if d.columns[0] == c.Columns[0] {
			return d
		}
	}
	return nil
}

// effect says of what a picture shows the effect.
func effect(m *model.Model) string {
	t := &m.About.Preparation.Target
	switch {
	case (t.Task == setting.Real || t.Task == setting.Quantiles) && len(t.Columns) == 1:
		return t.Columns[0]
	case t.Task == setting.Counts && len(t.Columns) == 1:
		return "the log rate of " + t.Columns[0]
	case t.Task == setting.Binary:
		return "the score of " + t.LabelNames[1]
	}
	return "the score"
}

// functionsOf returns the functions of a picture: one for each label, and the free ones behind them.
func functionsOf(m *model.Model, free, against bool) []picture.Function {
	names := []string{"f"}
	own, other := "with R", "plain"
	switch {
	case against:
		own, other = "this model", "the other"
	case len(m.Requirements) > 0:
		own, other = "required", "free"
		if report.Unproved(requirements(m.About.Preparation, m.Requirements)) == "" {
			own = "proved"
		}
	}
	if m.Represent.Labels > 1 {
		names = m.About.Preparation.Target.LabelNames
	} else if free {
		names = []string{own}
	}
	var out []picture.Function
	for y, name := range names {
		out = append(out, picture.Function{Name: name, Colour: y})
	}
	if !free {
		return out
	}
	for y, name := range names {
		f := picture.Function{Name: name + ", " + other, Colour: y, Free: true}
		if len(names) == 1 {
			f.Name, f.Colour = other, 1
		}
		out = append(out, f)
	}
	return out
}

// requiredSection lists what is required, with its verdicts.
func requiredSection(m *model.Model) picture.Section {
	s := picture.Section{Title: "What is required", Table: [][]string{{"statement", "verdict", "by at least"}}}
	for _, r := range requirements(m.About.Preparation, m.Requirements) {
		by := ""
		if r.Margin != nil && r.Answer == "proved" {
			by = report.AtLeast(*r.Margin)
		}
		s.Table = append(s.Table, []string{r.Text, r.Answer, by})
	}
	s.Notes = []string{"Verdicts are those of the model file; sipc prove decides them again."}
	return s
}

// rowsText names the rows over which means are taken.
func rowsText(t *report.Components) string {
	text := fmt.Sprintf("%d training rows", t.Rows)
	if t.Data != "" {
		text = fmt.Sprintf("%d rows of %s", t.Rows, t.Data)
	}
	if t.Rows < t.Of {
		text += fmt.Sprintf(" (of %d, at equal steps)", t.Of)
	}
	return text
}
