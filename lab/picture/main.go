// Command picture draws held-out digits of the example two-digits, turned from −40° to 40°, and the scores that three models of the
// same rows give them. One model knows from R that turning does not matter, one from turned copies, and one does not know it.
//
//	go run ./lab/picture [FILE]
//
// is called in the root of the repository and writes docs/turning.svg unless told otherwise. The same program writes the
// same bytes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/runtime/blas"
)

func main() {
	file := "docs/turning.svg"
	if len(os.Args) > 1 {
		file = os.Args[1]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := write(ctx, "examples/two-digits", file)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write draws the example in a folder to a file.
func write(ctx context.Context, example, file string) error {
	if err := blas.Use(); err != nil {
		return err
	}
	m, err := measure(ctx, example)
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, draw(m), 0o644)
}
