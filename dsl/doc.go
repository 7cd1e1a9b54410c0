// Package dsl reads and prints specs: text ↔ syntax tree. It knows no mathematics; package compiler gives the tree a meaning.
//
// Parse cuts the tokens of a file into statements and parses each separately. So it reports every mistake of a file
// once, in order, without consequences of other mistakes. Statements follow a participle grammar (ast.go, grammar.go),
// expressions precedence climbing (expr.go). Format prints a file the canonical way with all its comments. Its output
// parses to the same tree, and formatting it again changes nothing.
//
// The syntax, in EBNF:
//
//	file       = { statement NEWLINE } .
//	statement  = "use" NAME [ "from" STRING ]
//	           | "include" STRING
//	           | "data" "{" [ item { separator item } ] "}"
//	           | "let" NAME "=" ( expr | cond )
//	           | "def" NAME "(" [ names ] ")" "=" ( expr | cond )
//	           | ( "invariance" | "measure" ) NAME "=" expr
//	           | "require" NAME "=" relation [ "over" binder { "," binder } [ "where" cond ] ]
//	           | "expect" cond
//	           | "evaluate" "under" ( set | orbit | NAME )
//	           | "augment" ( set | orbit | NAME )
//	           | "kernel" kernel
//	           | ( "features" | "method" | "decode" | "seed" ) expr
//	           | "learn" expr [ "under" ( set | NAME ) ]
//	           | "regularize" expr { "," expr } .
//	item       = "target" ( column { "," column } | call ) ":" ( NAME | call )
//	           | "columns" ( column | call ) { "," ( column | call ) }
//	           | "types" column ":" type { "," column ":" type }
//	           | "split" ( arg { "," arg } | "by" column )
//	           | "ignore" ( column | call ) { "," ( column | call ) }
//	           | ( "id" | "weight" ) column
//	           | "unlabelled" ( STRING | NAME )
//	           | "gaps" [ "-" ] NUMBER { "," [ "-" ] NUMBER }
//	           | ( "missing" | "outside" | "standardize" | "scale" | "normalize" ) [ arg ] .
//	type       = ( "real" | "integer" | "date" ) [ interval ] | "text" | "{" value { "," value } "}" .
//	value      = NAME | STRING | [ "-" ] NUMBER .
//	separator  = NEWLINE | ";" | "," .
//	kernel     = expr | NAME "(" expr { "," column "=" ( expr | "{" pair { "," pair } "}" ) } ")" .
//	pair       = "(" column "," column ")" .
//	column     = NAME | STRING .
//	names      = NAME { "," NAME } .
//
//	relation   = expr ( ">=" expr [ ">=" expr ] | "<=" expr [ "<=" expr ] | "==" expr ) .
//	expr       = product { ( "+" | "-" ) product } .
//	product    = unary { ( "*" | "/" ) unary } .
//	unary      = "-" unary | derivative | primary .
//	derivative = "d" "/" ( "d" followed at once by NAME | "d" "(" column [ "," "unit" "=" "raw" ] ")" ) unary .
//	primary    = NUMBER | STRING [ "(" expr ")" ] | NAME | call [ "(" expr ")" ] | "(" expr ")" | "|" expr "|" | set | orbit | interval | aggregate | quantifier .
//	call       = NAME "(" [ arg { "," arg } ] ")" .
//	arg        = [ ( NAME | STRING ) "=" ] expr .
//	set        = "{" expr { "," expr } "}" .
//	orbit      = "orbit" [ "(" [ arg { "," arg } ] ")" ] set .
//	interval   = "[" expr "," expr "]" .
//	aggregate  = agg set .
//	quantifier = agg "over" binder { "," binder } [ "where" cond ] "of" product .
//	agg        = "max" | "sum" | "mean" | "rms" | "norm" "(" expr ")" | "top" "(" expr ")" .
//	binder     = NAME | call | ( NAME | "(" names ")" ) "in" ( NAME | call | set | orbit | interval ) .
//	cond       = conj { "or" conj } .
//	conj       = neg { "and" neg } .
//	neg        = [ "not" ] compare .
//	compare    = operand [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) operand | "in" ( set | interval | NAME ) ] .
//	operand    = expr, or a cond in brackets .
//
// Lists may end in a comma. A quantifier's body is a product: it ends before a binary + or -. So `mean over x of
// f - mean over y of f` is a difference of two means, and `mean over x of 2 * f` the mean of 2f. A bar where an operand
// is wanted opens an absolute value; a bar after an operand closes one. `d/d…` is always a derivative; it takes one
// operand.
//
// A NUMBER may have the unit n (`4n`, a multiple of the number of rows) or deg (`10deg`), or end in % (`5%` is 0.05). Greek letters in a NAME are
// spelled out: `λ` is `lambda`; likewise ≤ ≥ ≠ − · × ∈ are <= >= != - * * in. The words over, of, in, where, and, or,
// not are never names. Columns and labels whose names are not words stand in quotes. A comment runs from # to the end
// of its line. A statement ends at the end of its line. It goes on after a line that ends inside brackets or bars, or
// after an operator, a comma or a colon. So it does after one of over, of, in, where, and, or, not, and in a
// requirement before over and where. In a data block a
// comma ends an item that can have no further part. It also ends one if the word of another item follows, with the
// parts that such an item wants.
package dsl
