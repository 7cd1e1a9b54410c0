package dataset

// A Task is what the target is.
type Task string

// The tasks.
const (
	Binary     Task = "binary"     // one of two classes, f a function of x whose sign decides
	Class      Task = "class"      // one of several classes, f a function of x and the class
	Real       Task = "real"       // a number, f a function of x
	Multilabel Task = "multilabel" // a set of labels, f a function of x and the label
)

// A Spec says what to make of a table. It is the data block of a spec in plain fields.
type Spec struct {
	Target      Target
	Columns     Columns
	Ignore      Columns // Names and Globs of columns that are no features
	ID          string  // the column that names the rows; empty stands for one called id, where there is one
	Split       Split
	Missing     Missing
	Standardize bool    // numeric features get mean 0 and standard deviation 1 on the training rows
	Scale       float64 // numeric features are divided by it; 0 stands for 1
	Normalize   bool    // rows get unit length, after everything else
}

// A Target says which columns or labels are predicted. One of Names, Globs, LabelsFile and AllLabels is set.
type Target struct {
	Task  Task
	Names []string // columns; one, but for Multilabel
	Globs []string // patterns of columns, for Multilabel
	// LabelsFile names the labels of a LIBSVM file, a path that is opened as it is; see LabelNames.
	LabelsFile string
	AllLabels  bool      // every label that occurs in a LIBSVM file, called by its number, or that an ARFF class attribute declares
	Classes    [2]string // of Binary: rows of other classes are left out; f > 0 means the second
}

// Columns says which columns are features. The zero value takes all but the target and id.
type Columns struct {
	Names []string
	Globs []string
	// Height and Width say that the features, all others where no names are given, are an image, row-major. Both or none.
	Height, Width int
}

// A Split says how many rows are drawn at random: numbers of rows, or shares where they lie below 1, which are drawn from each class
// by itself. Zeros take all rows, but without a test table: one number leaves the other the rest, and none holds a quarter out.
type Split struct{ Train, Test float64 }

// Missing says what becomes of gaps in numeric features.
type Missing string

// The treatments of gaps. The zero value refuses them.
const (
	MissingError Missing = "error" // an error that names row and column
	MissingMean  Missing = "mean"  // the mean of the training rows
	MissingMask  Missing = "mask"  // the mean, and a further column that is 1 at gaps and 0 elsewhere
	MissingDrop  Missing = "drop"  // rows with gaps in features or target are left out
)
