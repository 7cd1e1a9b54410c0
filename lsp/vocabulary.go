package lsp

import (
	"sync"

	"github.com/sipc-ml/sipc/compiler"
)

// vocabulary is what settings and items of data blocks may take.
var vocabulary = sync.OnceValue(compiler.Vocabulary)
