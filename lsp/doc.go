// Package lsp is a language server for .inv specs. It answers what an editor asks over the Language Server Protocol, by the
// parser, the checker and the printer that the program itself uses.
//
// A document is an immutable snapshot. Every change makes a new one, so that requests never wait for each other. The syntax,
// the names and the proofs of a snapshot are found out once, when they are first asked for. Its names wait for no proof. The
// server answers for any text, however broken: where it cannot, it answers nothing rather than an error.
//
// Places are byte offsets everywhere but at the border. There text.position and text.offset translate them to UTF-16, which
// every client knows.
//
//	serve.go      the connection: life cycle, ordering, cancellation
//	protocol.go   the messages, as far as they are used
//	document.go   snapshots and the store of open documents
//	text.go       lines, positions, changes
//	names.go      which occurrence means what, as package symbols of the compiler says
//	complete*.go  completion; the other features have a file each
package lsp
