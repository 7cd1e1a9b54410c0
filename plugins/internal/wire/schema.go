package wire

import (
	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/proto"
)

// FromSchema returns the schema as a message. The kinds of arguments and binds have the same numbers on either side.
func FromSchema(s *plugins.Schema) *proto.Schema {
	out := &proto.Schema{Name: s.Name, Version: s.Version, Doc: s.Doc}
	for _, d := range s.Domains {
		m := &proto.Domain{Name: d.Name, Doc: d.Doc, Args: fromArgs(d.Args), Needs: fromNeeds(&d.Needs), Straight: d.Straight}
		for _, b := range d.Binds {
			m.Binds = append(m.Binds, &proto.Bind{Name: b.Name, Kind: proto.Bind_Kind(b.Kind), Doc: b.Doc})
		}
		out.Domains = append(out.Domains, m)
	}
	for _, m := range s.Maps {
		out.Maps = append(out.Maps, &proto.MapOfPoints{
			Name: m.Name, Doc: m.Doc, Args: fromArgs(m.Args), NeedsImage: m.NeedsImage, Differentiable: m.Differentiable,
			Needs: fromNeeds(&m.Needs),
		})
	}
	for _, d := range s.Definitions {
		out.Definitions = append(out.Definitions, &proto.Definition{Name: d.Name, Doc: d.Doc, Source: d.Source})
	}
	return out
}

func fromNeeds(n *plugins.Needs) *proto.Needs {
	return &proto.Needs{Columns: proto.Needs_Columns(n.Columns), Names: n.Names, Labels: proto.Needs_Labels(n.Labels)}
}

func toNeeds(n *proto.Needs) plugins.Needs {
	return plugins.Needs{Columns: plugins.ColumnNeed(n.GetColumns()), Names: n.GetNames(), Labels: plugins.LabelNeed(n.GetLabels())}
}

func fromArgs(args []plugins.Arg) []*proto.Arg {
	var out []*proto.Arg
	for _, a := range args {
		out = append(out, &proto.Arg{
			Name: a.Name, Kind: proto.Kind(a.Kind), Doc: a.Doc, Default: a.Default, Optional: a.Optional,
			Choices: a.Choices, Min: a.Min, Max: a.Max, Unit: a.Unit,
		})
	}
	return out
}

// ToSchema returns the schema of a message. It does not validate it: see plugins.Schema.Validate.
func ToSchema(s *proto.Schema) *plugins.Schema {
	out := &plugins.Schema{Name: s.GetName(), Version: s.GetVersion(), Doc: s.GetDoc()}
	for _, d := range s.GetDomains() {
		m := plugins.DomainSchema{Name: d.GetName(), Doc: d.GetDoc(), Args: toArgs(d.GetArgs()), Needs: toNeeds(d.GetNeeds()), Straight: d.GetStraight()}
		for _, b := range d.GetBinds() {
			m.Binds = append(m.Binds, plugins.Bind{Name: b.GetName(), Kind: plugins.BindKind(b.GetKind()), Doc: b.GetDoc()})
		}
		out.Domains = append(out.Domains, m)
	}
	for _, m := range s.GetMaps() {
		out.Maps = append(out.Maps, plugins.MapSchema{
			Name: m.GetName(), Doc: m.GetDoc(), Args: toArgs(m.GetArgs()),
			NeedsImage: m.GetNeedsImage(), Differentiable: m.GetDifferentiable(), Needs: toNeeds(m.GetNeeds()),
		})
	}
	for _, d := range s.GetDefinitions() {
		out.Definitions = append(out.Definitions, plugins.Definition{Name: d.GetName(), Doc: d.GetDoc(), Source: d.GetSource()})
	}
	return out
}

func toArgs(args []*proto.Arg) []plugins.Arg {
	var out []plugins.Arg
	for _, a := range args {
		out = append(out, plugins.Arg{
			Name: a.GetName(), Kind: plugins.ValueKind(a.GetKind()), Doc: a.GetDoc(), Default: a.GetDefault(), Optional: a.GetOptional(),
			Choices: a.GetChoices(), Min: a.GetMin(), Max: a.GetMax(), Unit: a.GetUnit(),
		})
	}
	return out
}
