package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func explainModel(cmd *cobra.Command, o *explainFlags) error { return errors.New("TODO") }
