package setting_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sipc-ml/sipc/runtime/setting"
)

// A type that was stored allows what it did before, and a stored type that no program wrote is refused.
func TestStoredTypes(t *testing.T) {
	types := []setting.ColumnType{
		{Column: "any", Low: math.Inf(-1), High: math.Inf(1)},
		{Column: "age", Whole: true, Low: 0, High: 120},
		setting.ListOf("region", []string{"north", "south"}), setting.ListOf("grade", []string{"1", "2.0"}),
	}
	data, err := json.Marshal(types)
	if err != nil {
		t.Fatal(err)
	}
	var again []setting.ColumnType
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(types, again); diff != "" {
		t.Error(diff)
	}
	if !again[3].Among("2") || again[3].Among("3") || again[3].Low != 1 || !again[2].Texts() {
		t.Errorf("read %s", data)
	}
	// Among texts those that look like numbers are texts too.
	codes := setting.ListOf("code", []string{"01", "x"})
	if !codes.Among("01") || codes.Among("1") || !codes.Allows("x") || codes.Allows("1.0") {
		t.Errorf("%s", codes.String())
	}
	for _, text := range []string{`{"column":"a","bounds":[1]}`, `{"column":"a","kind":"real"}`, `[]`} {
		if err := json.Unmarshal([]byte(text), &again[0]); err == nil {
			t.Errorf("%s passes", text)
		}
	}
}
