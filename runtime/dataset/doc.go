// Package dataset reads data files and turns them into prepared training and test rows.
//
// A file becomes a Table: named columns of numbers or texts, as the file holds them. A Spec, the data block of a spec in
// plain fields, turns one table (or one for training and one for test) into two Sets: the rows that are kept and drawn,
// their features prepared, their targets. What was fitted on the training rows is the Preparation; it can be stored and
// applied to further tables. For a numeric feature
//
//	raw = Offset + Scale · prepared,
//
// where Offset and Scale come from `standardize` (mean and standard deviation of the training rows) and `scale`.
//
// Formats are told by content first and by the file's name second, each gzipped or not:
//
//   - CSV and TSV with a header line; the separator is whichever of comma, semicolon and tab splits the header most.
//     A column whose cells all read as numbers is numeric, any other is text. Empty cells, NA, N/A, NaN, null and ? are
//     gaps.
//   - LIBSVM: `label index:value …` with indices from 1; features are called x1, x2, …, absent ones are zero. Several labels
//     `l1,l2 index:value …` make it a multilabel file.
//   - ARFF, dense or sparse rows. An attribute of the type `hierarchical` declares labels as paths such as 01/03/16; a row
//     has those that it names and all above them, and the paths are a taxonomy.
//   - IDX images (MNIST's format) with the labels file found beside them by name; features are called pixel1, pixel2, …
//
// Rows that hold what no training row does, a text that is no category or a number outside the range, are told of: see Unseen.
//
// The label of LIBSVM and IDX files bears no name in the file. It is called label, and a Spec may give it any name that is
// not a feature's.
//
// Everything drawn at random depends on the seed and the number of rows alone. Every error that a file can cause is an
// *Error with the file, the place, what is wrong and how to mend it.
package dataset
