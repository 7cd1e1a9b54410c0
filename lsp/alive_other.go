//go:build !unix

package lsp

// alive reports true, as nothing here tells whether a process is there. The server ends when its input does.
func alive(int) bool { return true }
