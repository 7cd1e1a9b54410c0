// Package reproduce runs the experiments of the paper again, on data that the user has, and sets its figures beside ours.
//
// A table falls into cells: a data set, n training rows and, where there are pairs, p of them. In a cell several contenders meet: the
// methods of this program, each by a spec, and rivals. A contender's work in a cell falls into units. There is one for each setting of
// its search space, fitted to three quarters of some training rows and scored on the other quarter. There is one for
// each run, fitted with the best setting to a draw of n rows and measured on a draw of n others. Every contender compares as many settings, on the same
// rows, and chooses nothing within a run; run r of all contenders has the same rows. Rows for training and choice come from one file and
// test rows from another.
//
// A unit that is done is a file that appears whole. Started again, the program does what is missing. What is made of the
// units, a page, CSV and SVG, depends on them alone.
//
// The differences of two contenders a, b over runs r are d_r = a_r − b_r, with mean d and standard deviation s. The interval is
// d ± t s/√R, t the quantile of Student's distribution with R − 1 degrees of freedom. Runs that draw from one file share rows, so the
// interval says how far R more such draws would lie, not draws from the world.
package reproduce
