package dataset

import (
	"slices"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// readAlike reads the numbers of both tables as they are written, those of the test as the data where the test does not tell. A test that is
// nil stays nil.
func readAlike(spec *setting.Data, data, test *Table) (own, ownTest *Table, err error) {
	counts := numberColumns(spec, data)
	if own, err = readAs(data, Writing{}, counts); err != nil {
		return nil, nil, asked(ItemColumns, err)
	}
	image := spec.Columns.Height > 0
	own = withNumbers(own, func(name string) bool { return image || name == spec.Weight || name == spec.Split.Time })
	if test == nil || test == data {
		if test != nil {
			test = own
		}
		return own, test, nil
	}
	if ownTest, err = readAs(test, own.Writing, counts); err != nil {
		return nil, nil, err
	}
	return own, codesLike(ownTest, own), nil
}

// numberColumns returns which columns of the data hold numbers that matter to a spec. A column that it declares to be of texts or dates is none of them.
func numberColumns(spec *setting.Data, data *Table) func(name string) bool {
	names := indexNames(spec.Target.Names)
	features, err := pickFeatures(data, spec, spec.Target.Names)
	if err != nil { // which is found again, where there is more to say
		features = data.names
	}
	for _, name := range append(slices.Clone(features), spec.Weight, spec.Split.Time) {
		names[name] = 1
	}
	for i := range spec.Types {
		if spec.Types[i].Date || spec.Types[i].Texts() {
			delete(names, spec.Types[i].Column)
		}
	}
	for _, name := range spec.Columns.Texts {
		delete(names, name)
	}
	return func(name string) bool { return has(names, name) }
}

// readTypes reads dates as numbers and declared texts as texts in both tables. A test that is nil stays nil.
func readTypes(spec *setting.Data, data, test *Table) (typed, typedTest *Table, err error) {
	if typed, err = withTypes(data, spec.Types); err != nil || test == nil || test == data {
		typedTest = test
		if test != nil {
			typedTest = typed
		}
		return typed, typedTest, err
	}
	typedTest, err = withTypes(test, spec.Types)
	return typed, typedTest, err
}
