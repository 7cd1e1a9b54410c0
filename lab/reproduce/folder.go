package reproduce

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/sipc-ml/sipc/internal/cli"
)

// open looks whether the folder of the data sets is one, and makes that of the results, before any work.
func (o *Options) open() error {
	switch found, err := os.Stat(o.Data); {
	case errors.Is(err, fs.ErrNotExist):
		return cli.WrongInput(fmt.Errorf("%s: there is no such folder of data sets; name the one that holds mnist, usps, fashion, enron, reuters-k500, wipo or hmc with --data", o.Data))
	case err != nil:
		return cli.WrongInput(fmt.Errorf("%s: the folder of the data sets cannot be read: %w", o.Data, err))
	case !found.IsDir():
		return cli.WrongInput(fmt.Errorf("%s is not a folder; name the one that holds the data sets with --data", o.Data))
	}
	return openOut(o.Out)
}

// openOut makes the folder of the results.
func openOut(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // results are not secret
		return fmt.Errorf("%s: the folder for the results cannot be made: %w; name another with --out", dir, err)
	}
	return nil
}
