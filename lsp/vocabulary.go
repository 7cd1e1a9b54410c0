package lsp

import (
	"sync"

	"github.com/sipc-ml/sipc/compiler"
)

// Words of the language that more than one feature asks for.
const (
	wordAuto       = "auto"
	wordColumns    = "columns"
	wordIgnore     = "ignore"
	wordID         = "id"
	wordData       = "data"
	wordFeatures   = "features"
	wordGraph      = "graph"
	wordGrid       = "grid"
	wordWeight     = "weight"
	wordIn         = "in"
	wordKernel     = "kernel"
	wordLabels     = "labels"
	wordLearn      = "learn"
	wordNorm       = "norm"
	wordOver       = "over"
	wordRegularize = "regularize"
	wordTaxonomy   = "taxonomy"
	wordWhere      = "where"
)

// vocabulary is what settings and items of data blocks may take.
var vocabulary = sync.OnceValue(compiler.Vocabulary)
