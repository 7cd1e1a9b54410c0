// Package limits declares the bounds of the program in one place. docs/limits.md is made from the
// comments of its constants.
package limits

import "time"

// Bounds of files.
const (
	// SpecBytes bounds a spec. A larger file is taken for something else than a spec.
	SpecBytes = 4 << 20
	// NamedBytes bounds a file that a spec names: of labels, of a graph or of a taxonomy.
	NamedBytes = 256 << 20
	// EditorBytes bounds such a file in an editor, where all of it is read again when it changes.
	EditorBytes = 16 << 20
	// EditorMessage bounds a message of an editor. The language server ends at a longer one.
	EditorMessage = 64 << 20
	// EditorHeader bounds a line of such a message's header.
	EditorHeader = 16 << 10
	// ModelBytes bounds a model file.
	ModelBytes = 4 << 30
	// RowBytes bounds a row of data: a line, or several where a text in double quotes goes on over their ends.
	RowBytes = 64 << 20
	// RowCells bounds the cells of a row of data, each of which takes some 100 bytes while it is read. Only rows of more bytes are counted.
	RowCells = 2e6
	// CellBytes bounds a cell of data. A longer one is not a category.
	CellBytes = 1 << 20
	// Lines bounds the lines of a data file.
	Lines = 5e7
	// UnpackedBytes bounds what gzipped data unpack to. What a spec names is bounded packed and unpacked alike.
	UnpackedBytes = 16 << 30
	// ParquetIndexBytes bounds the index at the end of a Parquet file.
	ParquetIndexBytes = 256 << 20
	// ModelHeaderBytes bounds the header of a model file.
	ModelHeaderBytes = 256 << 20
	// FrameHeader bounds the header of a message to `sipc serve --stdio`.
	FrameHeader = 64 << 20
	// FrameBuffers bounds the buffers behind such a header.
	FrameBuffers = 1e6
	// FrameBytes bounds these buffers together. A message of more is read over, and answered with an error.
	FrameBytes = 16 << 30
	// FrameWaiting bounds the messages that wait for one which is at work. Further ones are refused.
	FrameWaiting = 64
	// FrameModels bounds the models that such a process keeps. The one that was not used for the longest time goes first.
	FrameModels = 64
	// DefinitionBytes bounds a definition that a family adds to the language.
	DefinitionBytes = 4 << 10
	// MetricsBytes bounds the `metrics.json` of an earlier run. With a larger one a run does not compare the answers of families.
	MetricsBytes = 64 << 20
	// PlanBytes bounds the plan of work in blocks.
	PlanBytes = 256 << 20
	// ReceiptBytes bounds the receipt of a block.
	ReceiptBytes = 1 << 20
	// Blocks bounds the blocks of a plan.
	Blocks = 1e4
	// ProblemBytes bounds a file of `sipc polar`.
	ProblemBytes = 1 << 30
)

// Bounds of what a family answers.
const (
	// EmptyChunks bounds the chunks without an element that follow one another in an answer.
	EmptyChunks = 1000
)

// Bounds of downloads.
const (
	// DownloadPause bounds the time in which 32 KiB of a program, or its end, are to come from a server.
	DownloadPause = 30 * time.Second
	// DownloadLeast bounds from below what comes in that time.
	DownloadLeast = 32 << 10
	// DownloadTime bounds the time of a whole download.
	DownloadTime = 1 * time.Hour
)

// Bounds of memory.
const (
	// MemoryShare bounds what a command takes without `--max-memory`, as a share of what the machine or its cgroup gives.
	MemoryShare = 0.8
	// UnknownMemory bounds it where neither tells.
	UnknownMemory = 12 << 30
	// LeastMemory bounds `--max-memory` from below.
	LeastMemory = 64 << 20
	// PagedRows bounds the rows of a file whose numbers lie in memory. Those of more lie in temporary files, whose pages are in memory while they are looked at.
	PagedRows = 2e6
	// PagedBytes bounds the pages of temporary files that are in memory.
	PagedBytes = 256 << 20
	// HeldNumbers bounds the numbers of the points at which an R of squares looks, and that method risk holds at once. More come in parts.
	HeldNumbers = 1.3e8
	// PartNumbers bounds those of a part.
	PartNumbers = 8e6
	// PartFunctionals bounds the functionals of a part.
	PartFunctionals = 1.3e5
	// ActiveNumbers bounds those of the points, and of their features, of an R with maxima that method risk holds at once. Of more it holds what is active.
	ActiveNumbers = 2.5e8
	// PartFeatures bounds the numbers of the features of a part.
	PartFeatures = 1.6e7
	// SummedNumbers bounds the numbers of the features of rows that ridge and softmax hold under method risk, and others where rows are few. More rows are summed as they pass.
	SummedNumbers = 2e7
	// KinkedNumbers bounds those that hinge svm and quantile hold where rows are few, or C is small.
	KinkedNumbers = 5e7
	// PassingNumbers bounds those that logistic, squared svm and losses of a large C hold where rows are many, and all but ridge beside required statements.
	PassingNumbers = 1e6
)

// Bounds of time.
const (
	// GraceShare bounds how long a command goes on after its `--time-limit`, as a share of it, to bring its results to an end. Then it is cancelled.
	GraceShare = 0.5
	// GraceSeconds bounds that from below.
	GraceSeconds = 2
)

// Bounds of work.
const (
	// FitWork bounds the multiplications of a fit, evaluations of R among them: a few seconds. A fit of many rows may take more.
	FitWork = 2.5e9
	// ComparedWork bounds those of all fits together that are compared with one another. Fits of many rows may take more.
	ComparedWork = 5e9
	// WorkShare bounds the multiplications of a fit from below, as a share of what all iterations usually take that its solver may make.
	WorkShare = 0.3
	// WorkRows bounds the rows, times labels, of fits that have less than that share, in proportion.
	WorkRows = 300
	// Embedded bounds the numbers in the embeddings of training rows with their labels. Beyond it method risk is taken, which makes none, where no method is named.
	Embedded = 5e8
)

// Bounds of numbers.
const (
	// ModelHeaderValues bounds the values in the header of a model file, as each takes more memory than its text.
	ModelHeaderValues = 2e7
	// LargestNumber bounds numbers of data, targets among them, and factors that a family answers. Squares of larger ones, and sums of these, overflow.
	LargestNumber = 1e100
	// SmallestTarget bounds the largest magnitude of a real target from below. Squares of smaller ones lose their digits.
	SmallestTarget = 1e-100
	// LargestKernel bounds k(x, x) at a row. Sums of larger values, and products with weights, overflow.
	LargestKernel = 1e290
	// SmallestKernel bounds the largest k(x, x) of the training rows from below. Features of smaller ones lose their digits.
	SmallestKernel = 1e-200
)

// Bounds of messages.
const (
	// ShownDiagnostics bounds the errors and warnings that a command shows. It counts the others, and `sipc check --json` has them all.
	ShownDiagnostics = 100
)
