// Package dataset reads data files and turns them into prepared training and test rows.
//
// A file becomes a Table: named columns of numbers or texts, as the file holds them. A Spec is the data block of a spec
// in plain fields. It turns one table (or one for training and one for test) into two Sets: the drawn rows, their
// prepared features, and their targets. The Preparation holds what was fitted on the training rows. It can be stored and
// applied to further tables. For a numeric feature
//
//	raw = Offset + Scale · prepared,
//
// where Offset and Scale come from `standardize` (mean and standard deviation of the training rows) and `scale`.
//
// The content decides the format, before the file's name does. Each may be gzipped:
//
//   - CSV and TSV with a header line; the separator is whichever of comma, semicolon and tab splits the header most.
//     A column whose cells all read as numbers is numeric, any other is text. Empty cells, NA, N/A, NaN, null and ? are
//     gaps.
//   - Parquet with flat columns. Numbers and decimals are numbers; all else is text, dates and moments among them.
//   - NPY: a NumPy array of numbers, with the array of labels found beside it by name; columns are called x1, x2, …
//   - LIBSVM: `label index:value …` with indices from 1; features are called x1, x2, …, absent ones are zero. Several labels
//     `l1,l2 index:value …` make it a multilabel file.
//   - ARFF, dense or sparse rows. An attribute of the type `hierarchical` declares labels as paths such as 01/03/16.
//     A row has the labels that it names and all above them, and the paths are a taxonomy.
//   - IDX images (MNIST's format) with the labels file found beside them by name; features are called pixel1, pixel2, …
//
// Rows may hold what no training row does: a text that is not a category, or a number outside the range. Unseen reports
// them.
//
// LIBSVM, NPY and IDX files do not name their label. It is called label, and a Spec may give it any name that no feature has.
//
// Every draw depends only on the seed and the number of rows. Every error that a file can cause is an *Error with the
// file, the place, what is wrong and how to mend it.
package dataset
