package lsp

// A question is a request about an open document.
type question struct {
	*names
	params *Params
	offset int // of the position that is asked about
	client *ClientCapabilities
	// analysis waits for what the check finds; nil if it is not wanted any more.
	analysis func() *analysis
	offers   func() []offer
}

// An offer is a family that `use NAME` finds without a path.
type offer struct{ name, detail string }
