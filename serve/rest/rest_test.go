package rest_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sipc "github.com/sipc-ml/sipc"
	"github.com/sipc-ml/sipc/runtime/model"
	"github.com/sipc-ml/sipc/serve/rest"
)

// rows writes a file of drawn rows with gaps, and returns its path.
func rows(tb testing.TB, n int, seed uint64) string {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("u,v,region,y,kind,a,b\n")
	for i := range n {
		u, v, region := rng.NormFloat64(), rng.NormFloat64(), []string{"north", "south", "far, east"}[rng.IntN(3)]
		vs := fmt.Sprint(v)
		if i%7 == 3 {
			vs = ""
		}
		above := map[bool]int{true: 1}[u+0.3*v > 0]
		fmt.Fprintf(&b, "%v,%s,%q,%v,%s,%d,%d\n", u, vs, region, u*u-v+0.1*rng.NormFloat64(), []string{"low", "mid", "high"}[min(2, int(max(0, u+1.5)))], above, above*rng.IntN(2))
	}
	path := filepath.Join(tb.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// fit fits a spec to drawn rows, and returns copies of the model and its path.
func fit(tb testing.TB, spec string, copies int) ([]*model.Model, string) {
	tb.Helper()
	dir := tb.TempDir()
	path := filepath.Join(dir, "spec.inv")
	if err := os.WriteFile(path, []byte(spec), 0o600); err != nil {
		tb.Fatal(err)
	}
	s, err := sipc.LoadSpec(tb.Context(), path, sipc.SpecOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	defer s.Close()
	out := filepath.Join(dir, "out")
	if _, err := sipc.Run(tb.Context(), s, sipc.RunOptions{Data: rows(tb, 90, 1), Out: out}); err != nil {
		tb.Fatal(err)
	}
	path = filepath.Join(out, "model.sipc")
	var all []*model.Model
	for range copies {
		m, err := sipc.LoadModel(tb.Context(), path)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, m)
	}
	return all, path
}

// The specs of the tests: each task, numbers alone and texts, gaps and without.
const (
	common = "\nkernel gaussian(width = median)\nfeatures nystrom(landmarks = rows)\n"
	binary = "data { target a : binary(0, 1); columns u, v, region; missing mask; standardize }" + common + "learn logistic"
	class  = "data { target kind : class; columns u, v; missing mean; standardize }" + common + "learn softmax"
	labels = "data { target a, b : multilabel; columns u, region }" + common + "invariance i = rms over x of implies(b, a)\nregularize i\nlearn svm"
	number = "data { target y : real; columns u, region; standardize }\nkernel pairwise(gaussian(width = 1.5))\nfeatures nystrom(landmarks = rows)\nrequire up = f(x) >= -20 over x in box\nlearn ridge"
	levels = "data { target y : real; columns u; standardize }" + common + "learn quantile(0.1, 0.9)"
)

type tensor struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
	Data     []any  `json:"data"`
}

// served returns a server of a model.
func served(tb testing.TB, copies []*model.Model, o rest.Options) *httptest.Server {
	tb.Helper()
	s, err := rest.New(tb.Context(), copies, o)
	if err != nil {
		tb.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	tb.Cleanup(server.Close)
	return server
}

// infer posts a request, and returns the status and the answer.
func infer(tb testing.TB, url, body string) (int, string) {
	tb.Helper()
	r, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, url+"/v2/models/model/infer", strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return do(tb, r)
}

func do(tb testing.TB, r *http.Request) (int, string) {
	tb.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); kind != "application/json" {
		tb.Errorf("%s: content %q", r.URL, kind)
	}
	return answer.StatusCode, string(text)
}

// requestOf returns the columns of a file that a model has as a request.
func requestOf(tb testing.TB, m *model.Model, lines [][]string) string {
	tb.Helper()
	var inputs []tensor
	for _, f := range m.About.Preparation.Features {
		at := slices.Index(lines[0], f.Name)
		in := tensor{Name: f.Name, Datatype: "FP64", Shape: []int{len(lines) - 1}}
		if f.Text {
			in.Datatype = "BYTES"
		}
		for _, line := range lines[1:] {
			switch v, err := strconv.ParseFloat(line[at], 64); {
			case f.Text:
				in.Data = append(in.Data, line[at])
			case err != nil:
				in.Data = append(in.Data, nil)
			default:
				in.Data = append(in.Data, v)
			}
		}
		inputs = append(inputs, in)
	}
	text, err := json.Marshal(map[string]any{"id": "7", "inputs": inputs})
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// read returns the lines of a CSV file.
func read(tb testing.TB, path string) [][]string {
	tb.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil {
		tb.Fatal(err)
	}
	return lines
}

// What is served of the rows of a file is, to the last bit, what predict writes of them.
func TestServesWhatPredictWrites(t *testing.T) {
	columns := map[string][]string{
		binary: {"prediction|label", "score|scores", "probability:1|probabilities"},
		class:  {"prediction|label", "score:high,score:low,score:mid|scores", "probability:high,probability:low,probability:mid|probabilities"},
		labels: {"a,b|label", "score:a,score:b|scores"}, number: {"prediction|prediction", "proved|proved"}, levels: {"quantile:0.1,quantile:0.9|quantiles"},
	}
	data := rows(t, 40, 2)
	for spec, pairs := range columns {
		copies, path := fit(t, spec, 1)
		server := served(t, copies, rest.Options{})
		m, err := sipc.LoadModel(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		applied, err := sipc.Predict(t.Context(), m, data, sipc.ApplyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var written bytes.Buffer
		if err := applied.Predictions.WriteCSV(&written); err != nil {
			t.Fatal(err)
		}
		want, err := csv.NewReader(&written).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		status, text := infer(t, server.URL, requestOf(t, m, read(t, data)))
		var got struct {
			ID      string   `json:"id"`
			Outputs []tensor `json:"outputs"`
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || got.ID != "7" {
			t.Fatalf("%s\n%d: %s", spec, status, text)
		}
		for _, pair := range pairs {
			names, output, _ := strings.Cut(pair, "|")
			compare(t, want, strings.Split(names, ","), got.Outputs, output)
		}
	}
}

// compare compares columns of a file with an output.
func compare(t *testing.T, want [][]string, names []string, outputs []tensor, output string) {
	t.Helper()
	at := slices.IndexFunc(outputs, func(o tensor) bool { return o.Name == output })
	if at < 0 {
		t.Fatalf("there is no output %s", output)
	}
	flat := outputs[at].Data
	if output == "probabilities" && len(names) == 1 { // the file has that of the second class
		for i := range len(flat) / 2 {
			flat[i] = flat[2*i+1]
		}
		flat = flat[:len(flat)/2]
	} else if shape := outputs[at].Shape; len(flat) != shape[0]*shape[1] || shape[1] != len(names) {
		t.Errorf("%s has the shape %v and %d elements", output, shape, len(flat))
	}
	for i, line := range want[1:] {
		for j, name := range names {
			cell := line[slices.Index(want[0], name)]
			got := fmt.Sprint(flat[i*len(names)+j])
			if v, ok := flat[i*len(names)+j].(float64); ok {
				got = strconv.FormatFloat(v, 'g', -1, 64)
			}
			if b, ok := flat[i*len(names)+j].(bool); ok {
				got = map[bool]string{true: "yes", false: "no"}[b]
			}
			if got != cell {
				t.Errorf("%s of row %d: %s is served, %s written", name, i+1, got, cell)
			}
		}
	}
}

// A model of numbers takes one matrix, flat and nested alike.
func TestTakesAMatrix(t *testing.T) {
	copies, _ := fit(t, class, 1)
	server := served(t, copies, rest.Options{})
	var answers []string
	for _, body := range []string{
		`{"inputs": [{"name": "x", "shape": [2, 2], "datatype": "FP32", "data": [0.5, -1, 2, null]}]}`,
		`{"inputs": [{"name": "x", "shape": [2, 2], "datatype": "FP64", "data": [[0.5, -1], [2, null]]}]}`,
		`{"inputs": [{"name": "u", "shape": [2, 1], "datatype": "FP64", "data": [[0.5], [2]]}, {"name": "v", "shape": [2], "datatype": "FP64", "data": [-1, null]}]}`,
	} {
		status, text := infer(t, server.URL, body)
		if status != 200 {
			t.Fatalf("%s\n%d: %s", body, status, text)
		}
		answers = append(answers, text)
	}
	if answers[0] != answers[1] || answers[0] != answers[2] {
		t.Errorf("%s", answers)
	}
	_, text := infer(t, server.URL, `{"outputs": [{"name": "scores"}], "inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP64", "data": [9, 0]}]}`)
	if strings.Contains(text, `"label"`) || !strings.Contains(text, `"scores"`) || !strings.Contains(text, "outside the training range") {
		t.Errorf("the scores alone, and a warning: %s", text)
	}
}

// Each warning stands by itself, and a boolean is taken for no text but false and true.
func TestWarningsAndBooleans(t *testing.T) {
	copies, _ := fit(t, binary, 1)
	server := served(t, copies, rest.Options{})
	body := `{"inputs": [{"name": "u", "shape": [1], "datatype": "FP64", "data": [99]}, {"name": "v", "shape": [1], "datatype": "FP64", "data": [0]},
		{"name": "region", "shape": [1], "datatype": %s}]}`
	_, text := infer(t, server.URL, fmt.Sprintf(body, `"BYTES", "data": ["west"]`))
	var got struct {
		Parameters map[string]any `json:"parameters"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	first, _ := got.Parameters["warning_1"].(string)
	second, _ := got.Parameters["warning_2"].(string)
	if len(got.Parameters) != 3 || got.Parameters["warnings"] != 2.0 || !strings.Contains(first, `"west"`) || !strings.Contains(second, "outside the training range") {
		t.Errorf("%s", text)
	}
	status, text := infer(t, server.URL, fmt.Sprintf(body, `"BOOL", "data": [true]`))
	if want := `input \"region\" is of BOOL, and the model's column holds texts, as \"far, east\", \"north\"; send these as BYTES`; status != 400 || !strings.Contains(text, want) {
		t.Errorf("%d: %s", status, text)
	}
}

// Each wrong request gets one error that says what is wrong, and the server goes on.
func TestHostileRequests(t *testing.T) {
	copies, _ := fit(t, binary, 1)
	server := served(t, copies, rest.Options{Rows: 3, Body: 3000})
	input := func(fields string) string {
		return `{"inputs": [{"name": "u", "shape": [1], "datatype": "FP64", "data": [1]}, {"name": "region", "shape": [1], "datatype": "BYTES", "data": ["north"]}, {` + fields + `}]}`
	}
	v := `"name": "v", "shape": [1], "datatype": "FP64", `
	cases := []struct {
		body, want string
		status     int
	}{
		{``, "not one of the protocol: EOF", 400},
		{`{`, "not one of the protocol: unexpected EOF", 400},
		{`[]`, "the whole is of the type array", 400},
		{`null`, "no inputs", 400},
		{`{}`, "no inputs", 400},
		{`{"inputs": []}`, "no inputs", 400},
		{`{"inputs": {}}`, "inputs is of the type object", 400},
		{`{"input": []}`, `unknown field "input"`, 400},
		{`{"inputs": [{}]}`, "has the shape []", 400},
		{input(v+`"data": [1]`) + `x`, "goes on behind its object", 400},
		{input(v+`"data": [1]`) + `{}`, "goes on behind its object", 400},
		{input(`"name": "v", "shape": [1], "data": [1]`), `has the datatype ""`, 400},
		{input(`"name": "v", "shape": [1], "datatype": "FP128", "data": [1]`), `has the datatype "FP128"`, 400},
		{input(`"name": "v", "shape": [0], "datatype": "FP64", "data": []`), "each length must be 1 or more", 400},
		{input(`"name": "v", "shape": [-1], "datatype": "FP64", "data": []`), "each length must be 1 or more", 400},
		{input(`"name": "v", "shape": [1, 1, 1], "datatype": "FP64", "data": [1]`), "has the shape [1 1 1]", 400},
		{input(`"name": "v", "shape": [1, 2], "datatype": "FP64", "data": [1, 2]`), "a column has the shape", 400},
		{input(`"name": "v", "shape": [1000000000], "datatype": "FP64", "data": [1]`), "at most 3 are served at once", 413},
		{input(`"name": "v", "shape": [1e40], "datatype": "FP64", "data": [1]`), "is of the type number", 400},
		{input(`"name": "v", "shape": [2], "datatype": "FP64", "data": [1, 2]`), `input "v" has 2 rows, and "u" has 1`, 400},
		{input(v), "not one of the protocol", 400},
		{input(v + `"data": null`), "data is no list", 400},
		{input(strings.TrimSuffix(v, ", ")), "has no data", 400},
		{input(v + `"data": []`), "has 0 elements, and its shape [1] asks for 1", 400},
		{input(v + `"data": [1, 2]`), "has more elements than the 1", 400},
		{input(v + `"data": 1`), "data is no list", 400},
		{input(v + `"data": {"0": 1}`), "data is no list", 400},
		{input(v + `"data": [[1]]`), "nested deeper", 400},
		{input(v + `"data": ["1"]`), `element 1 is "1", which is no FP64`, 400},
		{input(v + `"data": [true]`), "element 1 is true", 400},
		{input(v + `"data": [{}]`), "element 1 is an object", 400},
		{input(v + `"data": [1e999]`), "element 1, the number 1e999, is beyond", 400},
		{input(v + `"data": [1e300]`), "1e+300", 400},
		{input(v + `"data": [1], "shape_": 1`), "unknown field", 400},
		{input(`"name": "w", "shape": [1], "datatype": "FP64", "data": [1]`), `the model has no input "w"`, 400},
		{input(`"name": "u", "shape": [1], "datatype": "FP64", "data": [1]`), `both called "u"`, 400},
		{input(`"name": "v", "shape": [1], "datatype": "BOOL", "data": [1]`), "which is no BOOL", 400},
		{input(`"name": "v", "shape": [1], "datatype": "BYTES", "data": ["much"]`), `"v"`, 400},
		{`{"inputs": [{"name": "u", "shape": [1], "datatype": "FP64", "data": [1]}]}`, "v", 400},
		{`{"inputs": [{"name": "x", "shape": [1, 3], "datatype": "FP64", "data": [1, 1, 1]}]}`, "some of its columns are texts", 400},
		{`{"outputs": [{"name": "odds"}], ` + input(v + `"data": [1]`)[1:], `no output "odds"`, 400},
		{input(v + `"data": [` + strings.Repeat("[", 2000)), "not one of the protocol", 400},
		{input(v + `"data": [1], "parameters": "` + strings.Repeat("x", 4000) + `"`), "the request has more than", 413},
		{input(v+`"data": [1]`) + `}`, "goes on behind its object", 400},
		{input(v + `"data": [NaN]`), "write null for a gap", 400},
		{input(`"name": "v", "shape": [1], "datatype": "INT8", "data": [1.5]`), "holds 1.5, which is no INT8", 400},
		{input(`"name": "v", "shape": [1], "datatype": "UINT8", "data": [-9]`), "holds -9, which is no UINT8", 400},
		{input(`"name": "v", "shape": [1], "datatype": "INT64", "data": [9007199254740993]`), "lose digits", 400},
		{"\xff\xfe", "not one of the protocol", 400},
		{input(`"name": "v", "shape": "1", "datatype": "FP64", "data": [1]`), "shape is of the type string", 400},
		{input(`"name": 7, "shape": [1], "datatype": "FP64", "data": [1]`), "name is of the type number", 400},
	}
	for _, c := range cases {
		status, text := infer(t, server.URL, c.body)
		var fault struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal([]byte(text), &fault); err != nil || status != c.status || !strings.Contains(fault.Error, c.want) || strings.Contains(fault.Error, "goroutine") {
			t.Errorf("%.200s\n%d: %swant %d: …%s…", c.body, status, text, c.status, c.want)
		}
	}
	// A column of the training file that is no feature may be there.
	if status, text := infer(t, server.URL, strings.TrimSuffix(input(v+`"data": [1]`), "]}")+`, {"name": "kind", "shape": [1], "datatype": "BYTES", "data": ["low"]}]}`); status != 200 {
		t.Errorf("after all of these: %d: %s", status, text)
	}
}

// A page in a browser may call a loopback address by a name of its own, and is refused.
func TestHosts(t *testing.T) {
	copies, _ := fit(t, class, 1)
	server := served(t, copies, rest.Options{})
	for host, want := range map[string]int{"": 200, "localhost:9": 200, "LOCALHOST": 200, "[::1]:80": 200, "127.0.0.2": 200, "evil.example": 403, "127.0.0.1.evil.example:80": 403, "10.0.0.1": 403} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/v2", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		if status, text := do(t, r); status != want {
			t.Errorf("%s: %d: %s", host, status, text)
		}
	}
}

// Other paths, methods and contents are refused, each with the way that is right.
func TestPaths(t *testing.T) {
	copies, _ := fit(t, class, 1)
	version := copies[0].SHA256[:12]
	server := served(t, copies, rest.Options{})
	for _, c := range []struct {
		method, path, kind string
		status             int
		want               string
	}{
		{"GET", "/v2", "", 200, `"name":"sipc"`},
		{"GET", "/v2/health/live", "", 200, `"live":true`},
		{"GET", "/v2/health/ready", "", 200, `"ready":true`},
		{"GET", "/v2/models/model", "", 200, `{"name":"u","datatype":"FP64","shape":[-1]}`},
		{"GET", "/v2/models/model/versions/" + version, "", 200, `"labels":["high","low","mid"]`},
		{"GET", "/v2/models/model/ready", "", 200, `"ready":true`},
		{"GET", "/v2/models/other", "", 404, `the one here is called`},
		{"GET", "/v2/models/model/versions/1", "", 404, `the one here is`},
		{"GET", "/v2/models/model/infer", "", 405, "the method is POST"},
		{"DELETE", "/v2/models/model", "", 405, "the method is GET"},
		{"POST", "/v2", "application/json", 405, "the method is GET"},
		{"GET", "/", "", 404, "the model is at /v2/models/model"},
		{"GET", "/v2/../../etc/passwd", "", 404, "there is no"},
		{"POST", "/v2/models/model/infer", "", 415, "Content-Type: application/json"},
		{"POST", "/v2/models/model/infer", "text/plain", 415, "Content-Type: application/json"},
		{"POST", "/v2/models/model/infer", "application/octet-stream", 415, "Content-Type: application/json"},
		{"POST", "/v2/models/model/versions/" + version + "/infer", "application/json; charset=utf-8", 400, "no inputs"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Opaque = "" // so that the path stays as it is
		if c.kind != "" {
			r.Header.Set("Content-Type", c.kind)
		}
		if status, text := do(t, r); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %s (%s): %d: %s", c.method, c.path, c.kind, status, text)
		}
	}
}

// Requests at once get what they get one by one, and each is logged.
func TestManyAtOnce(t *testing.T) {
	copies, _ := fit(t, binary, 2)
	var log bytes.Buffer
	server := served(t, copies, rest.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	lines := read(t, rows(t, 40, 3))
	var bodies, alone []string
	for _, line := range lines[1:] {
		body := requestOf(t, copies[0], [][]string{lines[0], line})
		_, text := infer(t, server.URL, body)
		bodies, alone = append(bodies, body), append(alone, text)
	}
	var wait sync.WaitGroup
	for k := range bodies {
		wait.Go(func() {
			if status, text := infer(t, server.URL, bodies[k]); status != 200 || text != alone[k] {
				t.Errorf("%d: %s, and alone %s", status, text, alone[k])
			}
		})
	}
	wait.Wait()
	server.Close()
	logged := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(logged) != 2*len(bodies) {
		t.Fatalf("%d records of %d requests", len(logged), 2*len(bodies))
	}
	var record struct {
		Level, Method, Path string
		Status, Rows        int
		Seconds             float64
	}
	if err := json.Unmarshal([]byte(logged[0]), &record); err != nil || record.Status != 200 || record.Rows != 1 || record.Seconds <= 0 {
		t.Errorf("%v: %s", err, logged[0])
	}
}

// When its context ends, the server answers what is under way, and takes nothing further.
func TestStops(t *testing.T) {
	copies, _ := fit(t, class, 1)
	s, err := rest.New(t.Context(), copies, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	url := "http://" + l.Addr().String()
	slow, body := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v2/models/model/infer", slow)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answered := make(chan int, 1)
	go func() {
		status := 0
		defer func() { answered <- status }()
		status, _ = do(t, r)
	}()
	const half = `{"inputs": [{"name": "x", "shape": [1, 2],`
	if _, err := body.Write([]byte(half)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // so that the server has begun to read
	stop()
	time.Sleep(50 * time.Millisecond)
	if _, err := body.Write([]byte(` "datatype": "FP64", "data": [1, 2]}]}`)); err != nil {
		t.Fatal(err)
	}
	_ = body.Close()
	if status := <-answered; status != 200 {
		t.Errorf("the request under way got %d", status)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("a stopped server answers")
	}
}

// A request that takes longer than it may ends with an error.
func TestTimeout(t *testing.T) {
	copies, _ := fit(t, class, 1)
	server := served(t, copies, rest.Options{Timeout: time.Nanosecond})
	status, text := infer(t, server.URL, `{"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP64", "data": [1, 2]}]}`)
	if status != http.StatusGatewayTimeout {
		t.Errorf("%d: %s", status, text)
	}
}

// BenchmarkOneRow serves a request of one row, without a network.
func BenchmarkOneRow(b *testing.B) {
	copies, _ := fit(b, number, 1)
	s, err := rest.New(b.Context(), copies, rest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	lines := read(b, rows(b, 1, 3))
	body := requestOf(b, copies[0], lines)
	handler := s.Handler()
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v2/models/model/infer", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}
