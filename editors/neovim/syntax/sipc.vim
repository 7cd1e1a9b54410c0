" Colours of .inv specs without the server. The lists are tested against the compiler's words.
if exists("b:current_syntax")
  finish
endif

setlocal iskeyword=@,48-57,_,192-255

syntax match sipcComment "#.*$" contains=@Spell
syntax region sipcString start=+"+ skip=+\\.+ end=+"+ oneline
syntax match sipcNumber "\v<(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?(n|deg)?>\%?"
syntax match sipcDerivative "\v<d\s*/\s*d\w*"
syntax match sipcOperator "[-+*/=<>|≤≥≠−·×∈]"

syntax keyword sipcStatement use include data let kernel features learn method decode seed regularize def invariance measure require expect evaluate augment
syntax keyword sipcStatement from under by
syntax keyword sipcItem target columns types ignore id split missing standardize scale normalize unlabelled gaps weight outside
syntax keyword sipcReserved over of in where and or not
syntax keyword sipcAggregation max sum mean rms norm top min
syntax keyword sipcType class real integer date text multilabel binary
syntax keyword sipcChoice gaussian laplacian matern32 matern52 additive pairwise linear polynomial
syntax keyword sipcChoice exact fourier hashing nystrom
syntax keyword sipcChoice logistic poisson quantile ridge softmax svm
syntax keyword sipcChoice embed warp plain dual risk
syntax keyword sipcChoice closure
syntax keyword sipcFunction f pos hypot grid auto taxonomy median labels image
syntax keyword sipcFamily implies excludes rotate shift shear move put swap
syntax keyword sipcIndex rows sample box levels graph orbit pairs edges siblings

highlight default link sipcComment Comment
highlight default link sipcString String
highlight default link sipcNumber Number
highlight default link sipcDerivative Operator
highlight default link sipcOperator Operator
highlight default link sipcStatement Statement
highlight default link sipcItem Keyword
highlight default link sipcReserved Keyword
highlight default link sipcAggregation Function
highlight default link sipcType Type
highlight default link sipcChoice Constant
highlight default link sipcFunction Function
highlight default link sipcFamily Function
highlight default link sipcIndex Type

let b:current_syntax = "sipc"
