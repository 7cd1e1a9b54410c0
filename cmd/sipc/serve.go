package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/internal/cli"
	"github.com/sipc-ml/sipc/internal/limits"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/serve/frame"
	"github.com/sipc-ml/sipc/serve/rest"
)

// serveHelp says what serve does.
const serveHelp = `Serve a model over HTTP by the Open Inference Protocol (V2, REST), on this machine alone unless --address says otherwise. The numbers are those
of predict. A record of each request goes to standard error as a line of JSON. An interrupt or SIGTERM ends the server: requests that are under way are
answered as far as they take no more than 1.5 s, and the exit status is 0.

With --stdio, serve another program over a pipe, as the Python package is: it sends columns of numbers and texts over standard input, and gets models and
predictions over standard output. The process ends with its input.`

// A serving is a call of serve.
type serving struct {
	stdio            bool
	address, maxBody string
	log              string
	copies           int
	o                rest.Options
}

func newServe() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:     "serve [--stdio | MODEL]",
		Short:   "Serve a model over HTTP, or fit and apply models for another program over a pipe",
		Long:    serveHelp,
		Example: "  sipc serve out/model.sipc --address 127.0.0.1:8080",
		Args:    cli.Takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case s.stdio && len(args) > 0:
				return cli.WrongCall(cmd, errors.New("--stdio takes no model: whoever speaks over the pipe sends it"))
			case s.stdio:
				return frame.Serve(cmd.Context(), cmd.InOrStdin(), os.Stdout)
			case len(args) == 0:
				return cli.WrongCall(cmd, errors.New("name the model to serve over HTTP, or serve another program by --stdio"))
			}
			return s.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.BoolVar(&s.stdio, "stdio", false, "speak over standard input and output")
	f.StringVar(&s.address, "address", "127.0.0.1:8080", "the `address` to listen at; port 0 takes a free one")
	f.StringVar(&s.o.Name, "name", "model", "the `name` of the model in paths")
	f.StringVar(&s.maxBody, "max-body", "16MiB", "the largest request, as a `size`")
	f.IntVar(&s.o.Rows, "max-rows", 10_000, "the most `rows` of a request")
	f.DurationVar(&s.o.Timeout, "request-timeout", 30*time.Second, "the most `time` that a request may take")
	f.IntVar(&s.copies, "copies", 0, "how many requests are answered at once, each by a `copy` of the model (default one for each processor)")
	f.StringVar(&s.log, "log", "json", "the `form` of the records on standard error: json, text or none")
	f.BoolVar(&s.o.Strict, "strict", false, "refuse rows that hold texts or numbers that no training row has")
	return cmd
}

// check refuses flags that are wrong, and fills in the options.
func (s *serving) check(cmd *cobra.Command) (err error) {
	if err := oneOf(cmd, "log", s.log, []string{"json", "text", "none"}); err != nil {
		return err
	}
	if s.o.Body, err = limits.ParseSize(s.maxBody); err != nil {
		return cli.WrongCall(cmd, fmt.Errorf("--max-body: %w", err))
	}
	switch {
	case s.o.Rows < 1:
		return cli.WrongCall(cmd, fmt.Errorf("--max-rows is %d; it must be 1 or more", s.o.Rows))
	case s.o.Timeout <= 0:
		return cli.WrongCall(cmd, fmt.Errorf("--request-timeout is %v; it must be more than 0", s.o.Timeout))
	case s.copies < 0:
		return cli.WrongCall(cmd, fmt.Errorf("--copies is %d; it must be 1 or more", s.copies))
	case s.copies == 0:
		s.copies = runtime.GOMAXPROCS(0)
	}
	switch s.log {
	case "json":
		s.o.Log = slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	case "text":
		s.o.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
	default:
		s.o.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}

// run serves a model until the program is to end.
func (s *serving) run(cmd *cobra.Command, path string) error {
	if err := s.check(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	var copies []*model.Model
	for range s.copies {
		m, err := sipc.LoadModel(ctx, path)
		if err != nil {
			return cli.WrongInput(err)
		}
		copies = append(copies, m)
	}
	server, err := rest.New(ctx, copies, s.o)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.address)
	if err != nil {
		return cli.WrongInput(fmt.Errorf("nothing can listen at %s: %w; choose another --address", s.address, err))
	}
	s.announce(cmd, l.Addr().String())
	if err := server.Serve(ctx, l); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// announce says where the model is served, and warns of an address that others reach.
func (s *serving) announce(cmd *cobra.Command, address string) {
	fmt.Fprintf(cmd.OutOrStdout(), "serving %s at http://%s/v2/models/%s/infer\n", s.o.Name, address, s.o.Name)
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (ip == nil || !ip.IsLoopback()) {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: other machines reach this address, and requests are not authenticated; put a proxy before it that does so")
	}
}
