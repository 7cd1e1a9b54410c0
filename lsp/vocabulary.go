package lsp

// Words of the language that more than one feature asks for.
const (
	wordAuto       = "auto"
	wordColumns    = "columns"
	wordIgnore     = "ignore"
	wordID         = "id"
	wordData       = "data"
	wordEvaluate   = "evaluate"
	wordAugment    = "augment"
	wordFeatures   = "features"
	wordGraph      = "graph"
	wordGrid       = "grid"
	wordWeight     = "weight"
	wordIn         = "in"
	wordKernel     = "kernel"
	wordLabels     = "labels"
	wordLearn      = "learn"
	wordUnder      = "under"
	wordNorm       = "norm"
	wordOver       = "over"
	wordRegularize = "regularize"
	wordTaxonomy   = "taxonomy"
	wordTypes      = "types"
	wordSplit      = "split"
	wordBy         = "by"
	wordWhere      = "where"
)
