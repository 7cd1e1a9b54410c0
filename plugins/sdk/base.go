package sdk

import (
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/plugins"
)

// Base is a session without domains and maps that holds nothing. A family embeds it in its own session and writes the methods that
// it has something to say in.
type Base struct{}

var _ plugins.Session = Base{}

// Expand answers that there is no such domain.
func (Base) Expand(_ context.Context, call *plugins.DomainCall, _ func(*plugins.Chunk) error) error {
	return fmt.Errorf("the family has no domain %q", call.Name)
}

// Map answers that there is no such map.
func (Base) Map(_ context.Context, call *plugins.MapCall) (*plugins.Block, error) {
	return nil, fmt.Errorf("the family has no map %q", call.Name)
}

// Close releases nothing.
func (Base) Close() error { return nil }
