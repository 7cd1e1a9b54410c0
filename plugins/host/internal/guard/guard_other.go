//go:build !linux

package guard

// A Guard does not exist here.
type Guard struct{}

// Start starts none here.
func Start(string) *Guard { return nil }

// End ends none.
func (*Guard) End() {}

// Kill finds no processes here.
func Kill(string) {}
