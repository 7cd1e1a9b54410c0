package dataset_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/dataset"
	"github.com/sipc-ml/sipc/runtime/setting"
)

// A schema says of every column what it is to the model, and what the training rows held there.
func TestSchema(t *testing.T) {
	table := open(t, "a.csv", "n,a,b,soil,w,part,good,note\nx1,1,0.5,clay,1,train,no,u\nx2,3,-2,sand,2,train,yes,v\nx3,9,7,clay,1,test,no,w\nx4,2,,peat,1,train,yes,w\n")
	spec := &setting.Data{
		Target: setting.Target{Task: setting.Binary, Names: []string{"good"}, Classes: [2]string{"no", "yes"}}, ID: "n", Weight: "w", Missing: setting.MissingMean,
		Split: setting.Split{By: "part"}, Ignore: setting.Columns{Names: []string{"note"}},
		Types: []setting.ColumnType{{Column: "a", Whole: true, Low: 0, High: 9}},
	}
	p, err := dataset.Prepare(t.Context(), spec, table, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []dataset.SchemaColumn{
		{Name: "a", Role: dataset.RoleFeature, Kind: dataset.KindInteger, Range: []float64{1, 3}, Declared: "integer [0, 9]"},
		{Name: "b", Role: dataset.RoleFeature, Kind: dataset.KindReal, Range: []float64{-2, 0.5}},
		{Name: "soil", Role: dataset.RoleFeature, Kind: dataset.KindText, Values: []string{"clay", "peat", "sand"}},
		{Name: "n", Role: dataset.RoleID, Kind: dataset.KindText},
		{Name: "w", Role: dataset.RoleWeight, Kind: dataset.KindInteger, Range: []float64{1, 2}},
		{Name: "part", Role: dataset.RoleSplit, Kind: dataset.KindText},
		{Name: "good", Role: dataset.RoleTarget, Kind: dataset.KindText, Values: []string{"no", "yes"}},
		{Name: "note", Role: dataset.RoleAside, Kind: dataset.KindText},
	}
	if d := cmp.Diff(want, dataset.Schema(p.Preparation)); d != "" {
		t.Error(d)
	}
	text, err := json.Marshal(p.Preparation)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range [][2]string{{`"role":"weight"`, `"role":"feature"`}, {`"role":"weight"`, `"role":"ballast"`}, {`"range":[1,2]`, `"range":[2,1]`}, {`"kind":"integer","range"`, `"kind":"odd","range"`}} {
		var broken dataset.Preparation
		if err := json.Unmarshal([]byte(strings.Replace(string(text), fault[0], fault[1], 1)), &broken); err != nil {
			t.Fatal(err)
		}
		if err := broken.Check(); err == nil || !strings.Contains(string(text), fault[0]) {
			t.Errorf("%s in place of %s is not refused", fault[1], fault[0])
		}
	}
}
