// Command picture draws the pictures of README and of docs/pictures.md. One shows held-out digits of the example two-digits, turned from −40° to
// 40°, and the scores that three models of the same rows give them. One model knows from R that turning does not matter, one from turned
// copies, and one does not know it. The other shows the curve of a column of the example houses, free and proved.
//
//	go run ./lab/picture [FOLDER]
//
// is called in the root of the repository and writes turning.svg and proved.svg to docs unless told otherwise. The same program
// writes the same bytes.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/sipc-ml/sipc/runtime/blas"
)

func main() {
	folder := "docs"
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := write(ctx, "examples/two-digits", filepath.Join(folder, "turning.svg"))
	if err == nil {
		err = writeProved(ctx, "docs/pictures.md", "examples/houses/houses.csv", filepath.Join(folder, "proved.svg"))
	}
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
