package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sipc-ml/sipc/spelling"
)

// Arguments makes what is wrong with the arguments a callError.
func Arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &callError{cmd, err}
		}
		return nil
	}
}

// wrongFlag says in plain words what is wrong with a flag, and which one is near where there is none of its name.
func wrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		var flags []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
		if near := spelling.Nearest(name, flags, func(string) int { return max(1, len(name)/3) }); near != "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	case errors.As(err, &invalid):
		if must := kinds[invalid.GetFlag().Value.Type()]; must != "" {
			err = fmt.Errorf("--%s is %q; it must be %s", invalid.GetFlag().Name, invalid.GetValue(), must)
		}
	}
	return WrongCall(cmd, err)
}

// kinds says what a flag of a type takes.
var kinds = map[string]string{
	"bool": "true or false", "duration": "a time with its unit: 90s, 5m, 24h or 1h30m", "float64": "a number, such as 1e-3", "int": "a whole number", "uint64": "a whole number from 0 to 18446744073709551615",
}

// namesFiles refuses a flag for a file or a folder that is given and empty. A shell makes such of a variable that was never set.
func namesFiles(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		what, _ := pflag.UnquoteUsage(f)
		if f.Value.String() == "" && (what == "file" || what == "folder") {
			err = WrongCall(cmd, fmt.Errorf("--%s is empty; name a %s, or leave the flag out", f.Name, what))
		}
	})
	return err
}

// AnyNumber as the most arguments sets no bound.
const AnyNumber = math.MaxInt

// Takes refuses too few and too many arguments. It says which are missing, by the words of the usage, or which are too many.
func Takes(least, most int) cobra.PositionalArgs {
	return Arguments(func(cmd *cobra.Command, args []string) error {
		words := positional(cmd.Use)
		switch {
		case len(args) < least:
			return errors.New(strings.Join(words[len(args):least], " and ") + verb(least-len(args), " is missing", " are missing"))
		case len(args) <= most:
			return nil
		case cmd.HasSubCommands():
			return knownCommand(cmd, args)
		case most == 0:
			return fmt.Errorf("%s takes no arguments, and got %s", cmd.CommandPath(), strings.Join(args, " "))
		}
		extra := args[most:]
		return fmt.Errorf("%s takes %s alone: %s%s", cmd.CommandPath(), strings.Join(words[:most], " and "), strings.Join(extra, " "),
			verb(len(extra), " is too much", " are too many"))
	})
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// positional returns the words of a usage that stand for arguments: SPEC and DATA of "run SPEC DATA [flags]".
func positional(use string) []string {
	var words []string
	for _, word := range strings.Fields(use)[1:] {
		if word == "|" {
			break // another way to call it
		}
		word = strings.TrimSuffix(strings.Trim(word, "[]."), "|-")
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(r) {
			words = append(words, strings.ReplaceAll(word, "|", " or "))
		}
	}
	return words
}
