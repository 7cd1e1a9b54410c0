package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/dist/temporal/durable"
	"github.com/sipc-ml/sipc/internal/cli"
)

// A submission is a call of submit.
type submission struct {
	connection
	cli.Applied
	out      string
	inFlight int
	detach   bool
}

func newSubmit() *cobra.Command {
	var s submission
	cmd := &cobra.Command{
		Use:   "submit FOLDER --shared FOLDER --out FILE",
		Short: "Have all blocks of a plan computed, and merged to one file",
		Long: `Begin a workflow that has workers compute all blocks of the plan in FOLDER, and wait until one of them has merged these to FILE. Both lie in the folder
that all machines share. The same command finds a workflow that runs already, and waits for it. An interrupt ends the waiting alone.

The certificate, and the exit status where more than half of the embeddings miss the gap of the model, are those of sipc embed.`,
		Args: cli.Takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := s.check(cmd); err != nil {
				return err
			}
			return s.submit(cmd, args[0])
		},
	}
	s.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&s.out, "out", "", "the `file` to write, which ends as the plan says, in .npy or .csv")
	f.IntVar(&s.inFlight, "in-flight", durable.MostInFlight, "how many `blocks` workers are asked for at a time, at most")
	f.BoolVar(&s.detach, "detach", false, "begin the workflow, and do not wait for it")
	cli.AcceptFlag(cmd, &s.Accept)
	f.BoolVar(&s.AsJSON, "json", false, "print the certificate as one JSON object")
	return cmd
}

// check refuses a call that asks for nothing.
func (s *submission) check(cmd *cobra.Command) error {
	switch {
	case s.out == "":
		return cli.WrongCall(cmd, errors.New("nothing says what to write; name a file with --out"))
	case s.inFlight < 1 || s.inFlight > durable.MostInFlight:
		return cli.WrongCall(cmd, fmt.Errorf("--in-flight is %d; it is 1 to %d", s.inFlight, durable.MostInFlight))
	}
	return s.connection.check(cmd)
}

// submit begins the workflow of a plan, and waits for it.
func (s *submission) submit(cmd *cobra.Command, folder string) error {
	r := durable.Request{InFlight: s.inFlight}
	var err error
	if r.Folder, err = s.within(folder); err == nil {
		r.Out, err = s.within(s.out)
	}
	if err != nil {
		return err
	}
	b, err := sipc.OpenRowBlocks(cmd.Context(), folder)
	if err != nil {
		return cli.WrongInput(err)
	}
	if err := b.Makes(s.out); err != nil {
		return err
	}
	if err := sipc.KeepsInputs([]string{s.out}, b.Sources()...); err != nil {
		return cli.WrongCall(cmd, err)
	}
	r.Plan, r.Blocks = b.Plan.SHA256(), len(b.Plan.Blocks)
	server, err := s.dial(cmd, io.Discard)
	if err != nil {
		return err
	}
	defer server.Close()
	run, found, err := durable.Begin(cmd.Context(), server, s.queue, r)
	if err != nil {
		return s.explained(cmd.Context(), err)
	}
	did := map[bool]string{false: "began", true: "found"}[found]
	fmt.Fprintf(cmd.ErrOrStderr(), "%s the workflow %s\n", did, run.GetID())
	if s.detach {
		return nil
	}
	return s.wait(cmd, server, run, b)
}

// wait shows how far a workflow is, and what came of it.
func (s *submission) wait(cmd *cobra.Command, server client.Client, run client.WorkflowRun, b *sipc.RowBlocks) error {
	stop, err := s.follow(cmd, server, run, b)
	if err != nil {
		return err
	}
	out, err := durable.Wait(cmd.Context(), run)
	stop()
	if cli.Interrupted(cmd.Context(), err) {
		fmt.Fprintf(cmd.ErrOrStderr(), "stopped; the workflow %s goes on, and the same command waits for it\n", run.GetID())
		return cli.ExitError(cli.ExitFailed)
	}
	if err != nil {
		return s.explained(cmd.Context(), err)
	}
	for _, w := range b.Warnings() {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
	}
	if err := s.Write(cmd, b.Merged(out.Certificate)); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s, whose SHA-256 is %s\n", s.out, out.SHA256)
	return s.Judge(cmd, b.Model, out.Certificate)
}

// look is how often a workflow is looked at.
const look = 2 * time.Second

// follow shows progress and trouble until stop is called.
func (s *submission) follow(cmd *cobra.Command, server client.Client, run client.WorkflowRun, b *sipc.RowBlocks) (stop func(), err error) {
	progress, err := cli.NewProgress(cmd)
	if err != nil {
		return nil, err
	}
	progress.Stage("blocks")
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick, told := time.NewTicker(look), ""
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
			}
			progress.Step(b.Plan.Done(), len(b.Plan.Blocks))
			if trouble := durable.Trouble(cmd.Context(), server, s.queue, run); trouble != told && trouble != "" && cmd.Context().Err() == nil {
				progress.Clear()
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", trouble)
				told = trouble
			}
		}
	}()
	return func() {
		close(end)
		<-ended
		progress.Close()
	}, nil
}
