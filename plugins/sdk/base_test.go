package sdk_test

import (
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/sdk"
)

// What embeds Base is a session, and says what it lacks.
func TestBase(t *testing.T) {
	var s plugins.Session = struct{ sdk.Base }{}
	if err := s.Expand(t.Context(), &plugins.DomainCall{Name: "lines"}, nil); err == nil || !strings.Contains(err.Error(), `no domain "lines"`) {
		t.Errorf("error %v", err)
	}
	if b, err := s.Map(t.Context(), &plugins.MapCall{Name: "turn"}); b != nil || err == nil || !strings.Contains(err.Error(), `no map "turn"`) {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
