package compiler

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/compiler/codes"
	"github.com/sipc-ml/sipc/internal/limits"
)

// Files that a spec names may be gzipped, as data may. One that is cut off is refused where it is named.
func TestGzippedFilesAreRead(t *testing.T) {
	packed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	edges := packed("1,2\n2,3\n")
	files := map[string]string{"edges.csv.gz": edges, "cut.csv.gz": edges[:len(edges)-9], "topics.csv": packed("child,parent\rcat,animal\r")}
	const head = "data { target animal, cat, dog : multilabel }\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = all)\n"
	accepted(t, head+`invariance i = rms over (a, b) in graph("edges.csv.gz") of |f(a, cat) - f(b, cat)|`+"\n"+
		`invariance j = rms over x of max over (a, b) in edges(taxonomy("topics.csv")) of implies(a, b)`+"\n", testOptions(files))
	_, list := check(t, head+`invariance i = rms over (a, b) in graph("cut.csv.gz") of |f(a, cat) - f(b, cat)|`+"\n", testOptions(files))
	if len(list) != 1 || list[0].Code != codes.UnreadableFile || !strings.Contains(list[0].Summary, "cut.csv.gz cannot be read: the gzipped data are damaged") {
		t.Error(list)
	}
	files["bomb.csv.gz"] = packed(strings.Repeat("1,2\n", limits.NamedBytes/4+1))
	_, list = check(t, head+`invariance i = rms over (a, b) in graph("bomb.csv.gz") of |f(a, cat) - f(b, cat)|`+"\n", testOptions(files))
	if len(list) != 1 || list[0].Code != codes.UnreadableFile || !strings.Contains(list[0].Summary, "bomb.csv.gz cannot be read: it unpacks to more than the 256 MiB that are read") {
		t.Error(list)
	}
}
