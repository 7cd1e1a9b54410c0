//go:build unix

package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newcomers have two minutes for the whole path.
const newcomers = 2 * time.Minute

// asked is how many rows a client asks for. Scores of other numbers of rows may differ in their last digits, as matrices of other sizes are multiplied.
const asked = 20

// A newcomer looks at a file that pandas wrote, gets a spec, runs it, reads a report, predicts further rows and serves the model. What curl gets of the
// server is what predict writes.
func TestNewcomer(t *testing.T) {
	began := time.Now()
	dir := t.TempDir()
	data, err := os.ReadFile("testdata/newcomer/customers.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "customers.csv"), data)
	if out := succeed(t, dir, nil, "inspect", "customers.csv", "--target", "bought"); !strings.Contains(string(out.stdout), "bought : binary") {
		t.Errorf("inspect says nothing of the target:\n%s", out.stdout)
	}
	succeed(t, dir, nil, "init", "customers.csv", "--target", "bought")
	succeed(t, dir, nil, "run", "customers.inv", "customers.csv", "--report", "report.html", "--out", "out")
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !strings.Contains(string(page), "</html>") {
		t.Fatalf("the report: %v, %d bytes", err, len(page))
	}
	some := strings.Join(strings.SplitAfter(string(data), "\n")[:asked+1], "")
	write(t, filepath.Join(dir, "some.csv"), []byte(some))
	succeed(t, dir, nil, "predict", "out/model.sipc", "some.csv", "--out", "predictions.csv")
	served(t, dir)
	if took := time.Since(began); took > newcomers {
		t.Errorf("it took %v", took)
	}
}

// served compares what a client gets of a server with what predict wrote, and ends the server.
func served(t *testing.T, dir string) {
	t.Helper()
	server := exec.CommandContext(t.Context(), filepath.Join(programs, "sipc"), "serve", "out/model.sipc", "--address", "127.0.0.1:0", "--log", "none")
	server.Dir, server.Stderr = dir, os.Stderr
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, path, _ := strings.Cut(strings.TrimSpace(line), "http://")
	ask(t, dir, "http://"+path)
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
}

// ask sends rows to a server by curl, and compares the answer.
func ask(t *testing.T, dir, url string) {
	t.Helper()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Log("curl is missing: what a client gets of the server is not compared")
		return
	}
	const n = asked
	rows, want := cellsOf(t, filepath.Join(dir, "some.csv")), cellsOf(t, filepath.Join(dir, "predictions.csv"))
	var inputs []map[string]any
	for j, name := range rows[0] {
		if slices.Contains([]string{"customer", "bought"}, name) {
			continue
		}
		cells, kind := []any{}, "FP64"
		for _, row := range rows[1 : n+1] {
			v, err := strconv.ParseFloat(row[j], 64)
			switch {
			case err == nil:
				cells = append(cells, v)
			case row[j] == "" && name != "region":
				cells = append(cells, nil)
			default:
				cells, kind = append(cells, row[j]), "BYTES"
			}
		}
		inputs = append(inputs, map[string]any{"name": name, "shape": []int{n}, "datatype": kind, "data": cells})
	}
	body, err := json.Marshal(map[string]any{"inputs": inputs})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "body.json"), body)
	client := exec.CommandContext(t.Context(), curl, "-sS", "--fail-with-body", "-H", "Content-Type: application/json", "--data-binary", "@body.json", url)
	client.Dir = dir
	text, err := client.Output()
	var got struct {
		Outputs []struct {
			Name string
			Data []any
		}
	}
	if err != nil || json.Unmarshal(text, &got) != nil || len(got.Outputs) < 2 {
		t.Fatalf("%v: %s", err, text)
	}
	label, score := slices.Index(want[0], "prediction"), slices.Index(want[0], "score")
	for i := range n {
		if l, s := fmt.Sprint(got.Outputs[0].Data[i]), strconv.FormatFloat(got.Outputs[1].Data[i].(float64), 'g', -1, 64); l != want[i+1][label] || s != want[i+1][score] {
			t.Errorf("row %d: %s by %s is served, %s by %s written", i+1, l, s, want[i+1][label], want[i+1][score])
		}
	}
}

// cellsOf returns the cells of a CSV file, line by line.
func cellsOf(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
