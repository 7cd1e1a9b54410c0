//go:build !unix

package lsp

// alive cannot be told here; the server ends when its input does.
func alive(int) bool { return true }
