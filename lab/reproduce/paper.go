package reproduce

// A Published figure is one of the paper's, in per cent, with its standard deviation over ten runs.
type Published struct {
	Mean      float64
	Deviation float64 // 0 where the paper gives none
}

// The contenders' names in tables.
const (
	nameSVM      = "svm"
	nameWarp     = "warp"
	nameDual     = "dual"
	nameEmbed    = "embed"
	nameRisk     = "risk"
	nameClosed   = "risk-closed"
	namePlain    = "plain"
	nameMixup    = "mixup"
	nameOnline   = "stochastic-mixup"
	nameML       = "ml-svm"
	nameHR       = "hr-svm"
	nameMasking  = "masking"
	nameAugment  = "augment"
	nameAnyPairs = "risk-any-pairs"
	nameImplied  = "risk-implications"
	columnMixup  = "mixup"
	setMNIST     = "mnist"
	setUSPS      = "usps"
	setFashion   = "fashion"
	setEnron     = "enron"
	setReuters   = "reuters-k500"
	setWIPO      = "wipo"
	pairFourNine = "4-9"
	pairTwoThree = "2-3"
)

// published holds tables 1 to 3 of Ma, Ganapathiraman, Yu and Zhang, ICML 2020, by cell, then by contender. Table 1 is "Test accuracy of
// minimizing empirical risk on binary classification tasks". Tables 2 and 3 end with "on mixup classification task" and "on multilabel
// prediction with logic relationship". The s.i.p. columns are method embed, the columns "vanilla" mixup.
var published = map[string]map[string]Published{
	"mnist-4-9-n1000": {nameSVM: {97.1, 0}, nameWarp: {98.0, 0}, nameDual: {97.6, 0}, nameEmbed: {97.8, 0}},
	"mnist-2-3-n1000": {nameSVM: {98.4, 0}, nameWarp: {99.1, 0}, nameDual: {98.7, 0}, nameEmbed: {98.9, 0}},

	"mnist-n500-p500":     {columnMixup: {90.16, 1.40}, nameEmbed: {91.36, 1.41}},
	"mnist-n500-p1000":    {columnMixup: {90.93, 1.01}, nameEmbed: {91.90, 1.08}},
	"mnist-n500-p2000":    {columnMixup: {91.40, 1.04}, nameEmbed: {92.11, 1.01}},
	"mnist-n1000-p1000":   {columnMixup: {91.00, 1.17}, nameEmbed: {92.51, 1.01}},
	"mnist-n1000-p2000":   {columnMixup: {92.01, 1.21}, nameEmbed: {92.79, 0.98}},
	"mnist-n1000-p4000":   {columnMixup: {92.48, 1.03}, nameEmbed: {93.03, 1.00}},
	"usps-n500-p500":      {columnMixup: {90.54, 1.28}, nameEmbed: {92.46, 1.24}},
	"usps-n500-p1000":     {columnMixup: {91.76, 1.14}, nameEmbed: {93.02, 1.12}},
	"usps-n500-p2000":     {columnMixup: {92.40, 1.25}, nameEmbed: {93.21, 1.14}},
	"usps-n1000-p1000":    {columnMixup: {93.87, 1.19}, nameEmbed: {94.74, 0.97}},
	"usps-n1000-p2000":    {columnMixup: {94.72, 1.12}, nameEmbed: {95.11, 0.94}},
	"usps-n1000-p4000":    {columnMixup: {95.32, 1.13}, nameEmbed: {95.67, 0.96}},
	"fashion-n500-p500":   {columnMixup: {79.37, 3.11}, nameEmbed: {81.56, 2.27}},
	"fashion-n500-p1000":  {columnMixup: {81.15, 2.08}, nameEmbed: {82.16, 1.56}},
	"fashion-n500-p2000":  {columnMixup: {81.72, 1.96}, nameEmbed: {82.52, 1.49}},
	"fashion-n1000-p1000": {columnMixup: {82.53, 1.49}, nameEmbed: {83.28, 1.48}},
	"fashion-n1000-p2000": {columnMixup: {83.13, 1.36}, nameEmbed: {84.07, 1.32}},
	"fashion-n1000-p4000": {columnMixup: {83.69, 1.31}, nameEmbed: {84.34, 1.31}},
	"enron-n100":          {nameEmbed: {96.2, 0.3}, nameML: {92.7, 0.4}, nameHR: {93.1, 0.3}},
	"enron-n200":          {nameEmbed: {95.7, 0.2}, nameML: {91.8, 0.4}, nameHR: {92.5, 0.3}},
	"enron-n500":          {nameEmbed: {94.7, 0.2}, nameML: {91.0, 0.3}, nameHR: {92.0, 0.2}},
	"reuters-k500-n100":   {nameEmbed: {95.7, 1.4}, nameML: {94.2, 1.4}, nameHR: {95.1, 1.2}},
	"reuters-k500-n200":   {nameEmbed: {97.2, 1.2}, nameML: {95.1, 1.3}, nameHR: {97.3, 1.3}},
	"reuters-k500-n500":   {nameEmbed: {98.0, 0.4}, nameML: {95.2, 1.2}, nameHR: {97.7, 1.3}},
	"wipo-n100":           {nameEmbed: {98.6, 0.1}, nameML: {98.1, 0.3}, nameHR: {98.3, 0.1}},
	"wipo-n200":           {nameEmbed: {98.4, 0.1}, nameML: {98.2, 0.2}, nameHR: {98.5, 0.1}},
	"wipo-n500":           {nameEmbed: {98.4, 0.1}, nameML: {98.3, 0.1}, nameHR: {98.7, 0.2}},
}
