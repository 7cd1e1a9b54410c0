package polar

import "context"

func (b *block) finish(ctx context.Context) error { return nil }
