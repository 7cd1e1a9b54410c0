// Package sdk serves a family as a separate process, so that a spec can say `use NAME from "PATH"`.
//
// An author implements plugins.Family and writes
//
//	func main() { sdk.Serve(swaps.New()) }
//
// The host does the rest: it starts the program, gives it data and calls, and ends it. Output that the family prints
// goes to the user's log and is shown if something goes wrong.
package sdk

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/internal/wire"
)

// Serve serves the family to the host that started this program, until the host ends it. Started by hand, the program
// says what it is and exits with status 2. Serve does not return.
func Serve(family plugins.Family) {
	serveVersions(family, wire.Versions{Oldest: plugins.OldestVersion, Newest: plugins.ContractVersion})
}

// serveVersions serves a family that speaks these versions of the contract.
func serveVersions(family plugins.Family, speaks wire.Versions) {
	if os.Getenv(wire.CookieKey) != wire.CookieValue {
		introduce(family)
		exit(2)
	}
	go endWithHost(os.Stdin)
	if err := serve(family, speaks); err != nil {
		fmt.Fprintln(os.Stderr, "this family cannot be served:", err)
		exit(1)
	}
	exit(0)
}

// exit ends the program: Serve is its main function in all but name.
func exit(status int) {
	os.Exit(status) //nolint:forbidigo // see above
}

// introduce tells who starts the program by hand what it is.
func introduce(family plugins.Family) {
	name := "NAME"
	if schema, err := family.Describe(context.Background()); err == nil {
		name = schema.Name
	}
	fmt.Fprintf(os.Stderr, "This program is the family %q of invariances. sipc runs it for specs that say\n\n    use %s from %q\n\n", name, name, os.Args[0])
}

// endWithHost ends this process and its children when the host is gone: then standard input ends.
func endWithHost(stdin io.Reader) {
	_, _ = io.Copy(io.Discard, stdin)
	endGroup()
	exit(0)
}
