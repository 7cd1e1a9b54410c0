package python_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	gproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/sipc-ml/sipc/plugins/proto"
)

var update = flag.Bool("update", false, "write family.binpb anew from the contract")

// The package's messages are those of the contract.
func TestDescriptor(t *testing.T) {
	const file = "sipc_family/family.binpb"
	want := protodesc.ToFileDescriptorProto(proto.File_family_proto)
	if *update {
		raw, err := gproto.MarshalOptions{Deterministic: true}.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got descriptorpb.FileDescriptorProto
	if err := gproto.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if !gproto.Equal(want, &got) {
		t.Errorf("%s is not the contract's: run go test ./sdk/python -run Descriptor -update", file)
	}
}

// The package's own tests, in Python.
func TestUnits(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), interpreter(t), "-W", "error::ResourceWarning", "-m", "unittest", "discover", "-s", "tests")
	cmd.Env = append(os.Environ(), "PYTHONPATH=.", "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("Ran ")) || strings.Contains(string(out), "Ran 0 tests") {
		t.Errorf("no test was run:\n%s", out)
	}
}
