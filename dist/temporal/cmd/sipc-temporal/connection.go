package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/sipc-ml/sipc/dist/temporal/durable"
	"github.com/sipc-ml/sipc/internal/cli"
)

// A connection is a server, and what all of its workers share.
type connection struct {
	address, namespace, queue, shared string

	secure                bool
	cert, key, ca, server string
}

// flags adds those of both commands.
func (c *connection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.address, "address", client.DefaultHostPort, "the `place` of the server")
	f.StringVar(&c.namespace, "namespace", client.DefaultNamespace, "the `namespace` of the server, which must be there")
	f.StringVar(&c.queue, "queue", "sipc", "the `queue` by which workers are asked")
	f.StringVar(&c.shared, "shared", "", "the `folder` that all machines share, wherever it is on this one")
	f.BoolVar(&c.secure, "tls", false, "speak TLS with the server, as all other flags of TLS say, too")
	f.StringVar(&c.cert, "tls-cert", "", "a `file` with the certificate by which the server knows us, in PEM")
	f.StringVar(&c.key, "tls-key", "", "a `file` with its key")
	f.StringVar(&c.ca, "tls-ca", "", "a `file` with the authorities whose certificates are trusted (default those of the system)")
	f.StringVar(&c.server, "tls-server-name", "", "the `name` that the server's certificate must have (default that of --address)")
}

// check refuses what cannot be, and makes the shared folder's path one from the root.
func (c *connection) check(cmd *cobra.Command) error {
	if c.shared == "" {
		return cli.WrongCall(cmd, errors.New("nothing says which folder all machines share; name it with --shared"))
	}
	path, err := filepath.EvalSymlinks(c.shared)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if info, e := os.Stat(path); err == nil && (e != nil || !info.IsDir()) {
		err = errors.New("it is no folder")
	}
	if err != nil {
		return cli.WrongCall(cmd, fmt.Errorf("--shared %s cannot be used: %w", c.shared, err))
	}
	c.shared = path
	return nil
}

// within returns the path of something from the shared folder, with slashes. Its folder must be there.
func (c *connection) within(path string) (string, error) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", cli.WrongInput(fmt.Errorf("%s: its folder cannot be read: %w", path, err))
	}
	name, err := filepath.Rel(c.shared, filepath.Join(dir, filepath.Base(path)))
	if err != nil || !filepath.IsLocal(name) {
		return "", cli.WrongInput(fmt.Errorf("%s: this is not in the folder that all machines share, %s; move it, or name another folder with --shared", path, c.shared))
	}
	return filepath.ToSlash(name), nil
}

// tls returns how TLS is spoken; nil where it is not.
func (c *connection) tls() (*tls.Config, error) {
	if !c.secure && c.cert+c.key+c.ca+c.server == "" {
		return nil, nil //nolint:nilnil // no TLS is what Temporal takes nil for
	}
	out := &tls.Config{ServerName: c.server, MinVersion: tls.VersionTLS12}
	if c.cert+c.key != "" {
		if c.cert == "" || c.key == "" {
			return nil, errors.New("--tls-cert and --tls-key go together")
		}
		own, err := tls.LoadX509KeyPair(c.cert, c.key)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert %s --tls-key %s: %w", c.cert, c.key, err)
		}
		out.Certificates = []tls.Certificate{own}
	}
	if c.ca != "" {
		text, err := os.ReadFile(c.ca)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--tls-ca %s holds no certificate in PEM", c.ca)
		}
	}
	return out, nil
}

// dial connects to the server. What the library says goes to a writer, from warnings on.
func (c *connection) dial(cmd *cobra.Command, says io.Writer) (client.Client, error) {
	secure, err := c.tls()
	if err != nil {
		return nil, cli.WrongCall(cmd, err)
	}
	t, err := client.DialContext(cmd.Context(), client.Options{
		HostPort: c.address, Namespace: c.namespace, ConnectionOptions: client.ConnectionOptions{TLS: secure},
		Logger: log.NewStructuredLogger(slog.New(slog.NewTextHandler(says, &slog.HandlerOptions{Level: slog.LevelWarn}))),
	})
	return t, c.explained(cmd.Context(), err)
}

// explained says of an error of the server which one that was.
func (c *connection) explained(ctx context.Context, err error) error {
	var ended *durable.EndedError
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, &ended) && ended.Mend:
		return cli.WrongInput(err)
	case ended != nil:
		return err
	}
	return fmt.Errorf("the server at %s, namespace %s: %s; see that it runs, and that --address, --namespace and the flags of TLS are right", c.address, c.namespace, strings.TrimSuffix(err.Error(), "."))
}
