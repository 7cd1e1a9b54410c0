package plugins

import (
	"fmt"
	"slices"
)

// Of returns the needs of a call with these arguments, with the columns that they name among Names.
func (n Needs) Of(args []Value) Needs {
	if n.Columns != ArgumentColumns {
		return n
	}
	n.Names = slices.Clone(n.Names)
	for _, v := range args {
		if v.Kind == KindColumn && !slices.Contains(n.Names, v.Text) {
			n.Names = append(n.Names, v.Text)
		}
	}
	return n
}

// Union returns what both need together.
func (n Needs) Union(other Needs) Needs {
	out := Needs{Columns: max(n.Columns, other.Columns), Names: slices.Clone(n.Names), Labels: max(n.Labels, other.Labels)}
	for _, name := range other.Names {
		if !slices.Contains(out.Names, name) {
			out.Names = append(out.Names, name)
		}
	}
	return out
}

// validate checks that the needs of a domain or a map with these arguments are some.
func (n *Needs) validate(of string, args []Arg) error {
	switch {
	case n.Columns < NoColumns || n.Columns > AllColumns:
		return fmt.Errorf("schema: %s needs columns of unknown kind %d", of, n.Columns)
	case n.Labels < NoLabels || n.Labels > RowLabels:
		return fmt.Errorf("schema: %s needs labels of unknown kind %d", of, n.Labels)
	case n.Columns == ArgumentColumns && !slices.ContainsFunc(args, func(a Arg) bool { return a.Kind == KindColumn }):
		return fmt.Errorf("schema: %s needs the columns that its arguments name, but none of them names a column", of)
	case n.Columns == NoColumns && slices.ContainsFunc(args, func(a Arg) bool { return a.Kind == KindColumn }):
		return fmt.Errorf("schema: an argument of %s names a column, which it does not see: "+
			"let %s need the columns that its arguments name (ArgumentColumns, in Python \"arguments\")", of, of)
	case n.Labels == NoLabels && slices.ContainsFunc(args, func(a Arg) bool { return a.Kind == KindLabel }):
		return fmt.Errorf("schema: an argument of %s names a label, which it does not see: "+
			"let %s need what the labels are called (LabelNames, in Python \"names\")", of, of)
	}
	return nil
}
