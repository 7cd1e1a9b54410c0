package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// A site is a server and workers on this machine, each a process of its own, with a folder that they share.
type site struct {
	sipc, temporal string // programs
	model, data    string
	rows           int

	dir, address string
	server       *process
	workers      []*process
}

// A process is one at work.
type process struct {
	*exec.Cmd
	ended chan struct{}
	err   error // once ended
	said  bytes.Buffer
}

// begin begins a process. It is killed where the context ends.
func begin(ctx context.Context, program string, args ...string) (*process, error) {
	p := &process{Cmd: exec.CommandContext(ctx, program, args...), ended: make(chan struct{})}
	p.Stdout, p.Stderr = &p.said, &p.said
	if err := p.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.Wait()
		close(p.ended)
	}()
	return p, nil
}

// kill kills a process as kill -9 does.
func (p *process) kill() {
	_ = p.Process.Kill()
	<-p.ended
}

// wait waits for the end of a process, which must be a good one.
func (p *process) wait() error {
	if <-p.ended; p.err != nil {
		return fmt.Errorf("%s %s: %w\n%s", p.Path, p.Args[1], p.err, p.said.String())
	}
	return nil
}

// run runs a process to its end.
func run(ctx context.Context, program string, args ...string) (*process, error) {
	p, err := begin(ctx, program, args...)
	if err != nil {
		return nil, err
	}
	return p, p.wait()
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// end ends all processes, and removes all files.
func (s *site) end() error {
	if s.server != nil {
		s.server.kill()
	}
	s.dismiss()
	return os.RemoveAll(s.dir)
}

// dismiss kills the workers.
func (s *site) dismiss() {
	for _, w := range s.workers {
		w.kill()
	}
	s.workers = nil
}

// serve starts the server on its file, and waits until it answers.
func (s *site) serve(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if s.address == "" {
		port, err := freePort()
		if err != nil {
			return err
		}
		s.address = fmt.Sprintf("%s:%d", host, port)
	}
	if s.server, err = begin(ctx, self, "server", "--address", s.address, "--file", s.path("temporal.db")); err != nil {
		return err
	}
	for {
		c, err := s.dial()
		if err == nil {
			_, err = c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
			c.Close()
		}
		if err == nil {
			return nil
		}
		select {
		case <-s.server.ended:
			return s.server.wait()
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (s *site) dial() (client.Client, error) {
	return client.Dial(client.Options{HostPort: s.address, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
}

// hire starts workers.
func (s *site) hire(ctx context.Context, count int) error {
	for range count {
		w, err := begin(ctx, s.temporal, "worker", "--address", s.address, "--shared", s.dir)
		if err != nil {
			return err
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

// pool embeds all rows by sipc embed in blocks.
func (s *site) pool(ctx context.Context, out string) ([]*process, error) {
	defer os.RemoveAll(s.path("pool")) //nolint:errcheck // only for space
	p, err := run(ctx, s.sipc, "embed", s.model, s.data, "--out", s.path(out), "--blocks", s.path("pool"), "--rows", strconv.Itoa(s.rows), "--accept-gap", "--quiet")
	return []*process{p}, err
}

// plan plans all rows in a folder.
func (s *site) plan(ctx context.Context, folder string) (*process, error) {
	return run(ctx, s.sipc, "plan", s.model, s.data, "--folder", folder, "--rows", strconv.Itoa(s.rows))
}

// submit returns the arguments that submit a plan.
func (s *site) submit(folder, out string) []string {
	return []string{"submit", folder, "--out", out, "--shared", s.dir, "--address", s.address, "--accept-gap", "--quiet"}
}
