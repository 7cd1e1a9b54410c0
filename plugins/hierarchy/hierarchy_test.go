package hierarchy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sipc-ml/sipc/plugins"
	"github.com/sipc-ml/sipc/plugins/hierarchy"
)

var zoo = []string{"animal", "cat", "dog", "plant", "tree", "oak", "pet"}

func edge(child, parent int32) plugins.Edge { return plugins.Edge{Child: child, Parent: parent} }

// expand collects the pairs of names of a domain.
func expand(tb testing.TB, domain string, names []string, edges []plugins.Edge) ([]string, error) {
	tb.Helper()
	ctx := context.Background()
	family := hierarchy.New()
	schema, err := family.Describe(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	data := &plugins.Data{LabelNames: names}
	s, err := family.Open(ctx, data)
	if err != nil {
		tb.Fatal(err)
	}
	call := &plugins.DomainCall{Name: domain, Args: []plugins.Value{{Name: "taxonomy", Kind: plugins.KindTaxonomy, Edges: edges}}}
	var out []string
	err = s.Expand(ctx, call, func(c *plugins.Chunk) error {
		if err := c.Validate(schema.Domain(domain), call, 0, 0, len(names)); err != nil {
			tb.Fatal(err)
		}
		for i := range c.Count {
			out = append(out, names[c.Labels[0][i]]+" "+names[c.Labels[1][i]])
		}
		return nil
	})
	return out, err
}

func TestDomains(t *testing.T) {
	forest := []plugins.Edge{edge(2, 0), edge(1, 0), edge(4, 3), edge(5, 4), edge(2, 0)}
	tests := []struct {
		name, domain string
		edges        []plugins.Edge
		want         []string
	}{
		{"edges in their order, each once", "edges", forest, []string{"dog animal", "cat animal", "tree plant", "oak tree"}},
		{"siblings; roots are none", "siblings", forest, []string{"cat dog"}},
		{"no edges", "siblings", nil, nil},
		{
			"two common parents, one pair", "siblings",
			[]plugins.Edge{edge(1, 0), edge(2, 0), edge(1, 6), edge(2, 6)},
			[]string{"cat dog"},
		},
		{
			"what a label implies both of does not exclude each other", "siblings",
			[]plugins.Edge{edge(1, 0), edge(2, 0), edge(6, 0), edge(5, 2), edge(5, 6)}, // oak is a dog and a pet
			[]string{"cat dog", "cat pet"},
		},
		{
			"a sibling that lies above the other does not exclude it", "siblings",
			[]plugins.Edge{edge(6, 0), edge(1, 0), edge(1, 6), edge(2, 0)},
			[]string{"cat dog", "dog pet"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := expand(t, tt.domain, zoo, tt.edges)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("pairs differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, domain string
		labels       []string
		edges        []plugins.Edge
		want         string
	}{
		{"circle", "edges", zoo, []plugins.Edge{edge(3, 4), edge(4, 5), edge(5, 3)}, "plant → tree → oak → plant"},
		{"self", "siblings", zoo, []plugins.Edge{edge(1, 1)}, "cat → cat"},
		{"beyond the labels", "edges", zoo, []plugins.Edge{edge(1, 7)}, "label 7, but there are 7 labels"},
		{"no labels", "edges", nil, nil, "f is a function of x alone"},
		{"unknown domain", "cousins", zoo, nil, `no domain "cousins"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := expand(t, tt.domain, tt.labels, tt.edges)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

func TestSchema(t *testing.T) {
	schema, err := hierarchy.New().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(); err != nil {
		t.Error(err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, _ := hierarchy.New().Open(ctx, &plugins.Data{LabelNames: zoo})
	call := &plugins.DomainCall{Name: "edges", Args: []plugins.Value{{Name: "taxonomy", Edges: []plugins.Edge{edge(1, 0)}}}}
	if err := s.Expand(ctx, call, func(*plugins.Chunk) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// In any acyclic graph the siblings are exactly the pairs with a common parent and no common descendant.
func TestSiblingsLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.IntRange(1, 12).Draw(rt, "labels")
		names := make([]string, m)
		for i := range names {
			names[i] = fmt.Sprint("l", i)
		}
		var edges []plugins.Edge
		below := make([][]bool, m) // below[a][c]: c implies a
		parent := make([][]bool, m)
		for i := range names {
			below[i], parent[i] = make([]bool, m), make([]bool, m)
			below[i][i] = true
		}
		for range rapid.IntRange(0, 20).Draw(rt, "edges") { // a child has a larger index: no cycles
			c := rapid.IntRange(0, m-1).Draw(rt, "child")
			if c > 0 {
				p := rapid.IntRange(0, c-1).Draw(rt, "parent")
				edges = append(edges, edge(int32(c), int32(p)))
				parent[c][p] = true
			}
		}
		for c := range m { // parents come first
			for p := range c {
				for a := range m {
					if parent[c][p] && below[a][p] {
						below[a][c] = true
					}
				}
			}
		}
		want := map[string]bool{}
		for a := range m {
			for b := a + 1; b < m; b++ {
				common, compatible := false, false
				for k := range m {
					common = common || (parent[a][k] && parent[b][k])
					compatible = compatible || (below[a][k] && below[b][k])
				}
				if common && !compatible {
					want[names[a]+" "+names[b]] = true
				}
			}
		}
		got, err := expand(t, "siblings", names, edges)
		if err != nil {
			rt.Fatal(err)
		}
		if len(got) != len(want) {
			rt.Fatalf("%d pairs %v, want %d %v", len(got), got, len(want), want)
		}
		for _, g := range got {
			if !want[g] {
				rt.Fatalf("pair %s is none of %v", g, want)
			}
		}
	})
}
