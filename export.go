package sipc

import (
	"context"
	"fmt"

	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/runtime/onnx"
	"github.com/sipc-ml/sipc/runtime/portable"
)

// ExportONNX returns a model as an ONNX file, which other programs run. It returns a *portable.RefusedError with the reason if the model has no
// such form, and ctx's error when ctx ends.
func ExportONNX(ctx context.Context, m *model.Model, o portable.Options) (*onnx.Model, error) {
	file, err := portable.Export(ctx, m, o)
	if err != nil {
		return nil, fmt.Errorf("this model has no ONNX graph: %w", err)
	}
	return file, nil
}
