package dataset

import "github.com/sipc-ml/sipc/runtime/setting"

// A Preparation is what was fitted on the training rows. It holds all that further tables need, is plain data for any
// encoder, and is immutable.
type Preparation struct {
	Target        TargetPlan
	Features      []Feature
	Height, Width int
	Missing       setting.Missing
	Normalize     bool
	ID            string // the column that names the rows; empty stands for one called id, where there is one
	Ranged        bool   // the features' Low and High are known, as those of earlier models are not
}

// Prepared is a table split and prepared.
type Prepared struct {
	Preparation *Preparation
	Train, Test *Set
	Warnings    []string
	Hints       []string // what might do better
}
