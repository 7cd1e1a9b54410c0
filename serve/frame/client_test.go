package frame_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/sipc-ml/sipc/serve/frame"
)

// A client speaks with a server in this process.
type client struct {
	tb   testing.TB
	to   *io.PipeWriter
	from *bufio.Reader
	id   int64
	end  chan error // what Serve returned
}

// An answer is a message of the server.
type answer struct {
	ID     int64           `json:"id"`
	Kind   string          `json:"kind"`
	Result json.RawMessage `json:"result"`
	Error  *frame.Fault    `json:"error"`
	Arrays []struct {
		Name, Kind string
		Shape      []int
		Buffer     int
	} `json:"arrays"`
	Progress *struct {
		Stage       string
		Done, Total int
	} `json:"progress"`
	Warning *struct{ Text, Code, Rendered string } `json:"warning"`
	Lengths []int                                  `json:"buffers"`
	buffers [][]byte
}

func newClient(tb testing.TB) *client {
	tb.Helper()
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &client{tb: tb, to: to, from: bufio.NewReader(from), end: make(chan error, 1)}
	go func() {
		c.end <- frame.Serve(context.Background(), in, out)
		_ = out.Close()
	}()
	tb.Cleanup(func() {
		_ = to.Close()
		_ = from.Close()
	})
	return c
}

// message returns a request as it is written.
func message(id int64, op string, args any, buffers ...[]byte) []byte {
	lengths := []int{}
	for _, b := range buffers {
		lengths = append(lengths, len(b))
	}
	header, err := json.Marshal(struct {
		Version int    `json:"sipc"`
		ID      int64  `json:"id"`
		Op      string `json:"op"`
		Args    any    `json:"args"`
		Lengths []int  `json:"buffers"`
	}{frame.Version, id, op, args, lengths})
	if err != nil {
		panic(err)
	}
	header = append(header, '\n')
	for _, b := range buffers {
		header = append(header, b...)
	}
	return header
}

// send writes raw bytes to the server.
func (c *client) send(raw []byte) {
	c.tb.Helper()
	if _, err := c.to.Write(raw); err != nil {
		c.tb.Fatal(err)
	}
}

// receive returns the next message of the server.
func (c *client) receive() *answer {
	c.tb.Helper()
	line, err := c.from.ReadBytes('\n')
	if err != nil {
		c.tb.Fatalf("%v after %q", err, line)
	}
	a := &answer{}
	if err := json.Unmarshal(line, a); err != nil {
		c.tb.Fatalf("%v in %q", err, line)
	}
	for _, n := range a.Lengths {
		b := make([]byte, n)
		if _, err := io.ReadFull(c.from, b); err != nil {
			c.tb.Fatal(err)
		}
		a.buffers = append(a.buffers, b)
	}
	return a
}

// ask sends a request and returns its result or error, and what came before it.
func (c *client) ask(op string, args any, buffers ...[]byte) (last *answer, before []*answer) {
	c.tb.Helper()
	c.id++
	c.send(message(c.id, op, args, buffers...))
	for {
		a := c.receive()
		if a.ID != c.id {
			c.tb.Fatalf("an answer to %d and not to %d: %+v", a.ID, c.id, a)
		}
		if a.Kind == "result" || a.Kind == "error" {
			return a, before
		}
		before = append(before, a)
	}
}

// must asks, and fails the test at an error.
func (c *client) must(op string, args any, buffers ...[]byte) *answer {
	c.tb.Helper()
	a, _ := c.ask(op, args, buffers...)
	if a.Error != nil {
		c.tb.Fatalf("%s: %s\n%s", op, a.Error.Message, a.Error.Rendered)
	}
	return a
}

// numbers returns an array of an answer.
func (a *answer) numbers(tb testing.TB, name string) []float64 {
	tb.Helper()
	for _, of := range a.Arrays {
		if of.Name != name {
			continue
		}
		b, size := a.buffers[of.Buffer], 1
		for _, n := range of.Shape {
			size *= n
		}
		out := make([]float64, size)
		for i := range out {
			switch of.Kind {
			case "u1":
				out[i] = float64(b[i])
			case "i8":
				out[i] = float64(int64(binary.LittleEndian.Uint64(b[8*i:])))
			default:
				out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		return out
	}
	tb.Fatalf("there is no array %q", name)
	return nil
}

// doubles returns numbers as a buffer.
func doubles(numbers ...float64) (out []byte) {
	for _, v := range numbers {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// integers returns whole numbers as a buffer.
func integers(numbers ...int64) (out []byte) {
	for _, v := range numbers {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	return out
}

// texts returns texts as two buffers.
func texts(all ...string) (offsets, data []byte) {
	offsets = integers(0)
	for _, text := range all {
		data = append(data, text...)
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(len(data)))
	}
	return offsets, data
}

// object is a JSON object.
type object = map[string]any

// rows are twelve rows of two columns, their classes, and what fit takes of them.
func rows() (args object, buffers [][]byte) {
	var a, b, class []float64
	for i := range 12 {
		a, b, class = append(a, float64(i%5)-2), append(b, float64(i*i%7)), append(class, float64(i%2))
	}
	block := func(buffer int, names ...string) object {
		return object{"names": names, "kind": "number", "buffer": buffer}
	}
	return object{
		"spec": "data { standardize }\nkernel gaussian\nfeatures nystrom(landmarks = all)\nlearn logistic(C = 1)\n",
		"aim":  "classes", "classes": []string{"0", "1"}, "gap": 1e-8,
		"table":  object{"name": "X", "rows": 12, "blocks": []object{block(0, "a", "b")}},
		"target": object{"name": "y", "rows": 12, "blocks": []object{block(1, "y")}},
	}, [][]byte{doubles(append(a, b...)...), doubles(class...)}
}

// fitted fits the rows, and returns the model's name.
func (c *client) fitted() string {
	c.tb.Helper()
	args, buffers := rows()
	var about struct{ Model string }
	if err := json.Unmarshal(c.must("fit", args, buffers...).Result, &about); err != nil {
		c.tb.Fatal(err)
	}
	return about.Model
}

// lives fails the test unless the server answers.
func (c *client) lives(after string) {
	c.tb.Helper()
	if a, _ := c.ask("version", object{}); a.Error != nil {
		c.tb.Fatalf("after %s: %s", after, a.Error.Message)
	}
}

// with returns a copy of an object with some fields changed; nil takes one away.
func with(o object, changes ...any) object {
	out := object{}
	for k, v := range o {
		out[k] = v
	}
	for i := 0; i < len(changes); i += 2 {
		if out[fmt.Sprint(changes[i])] = changes[i+1]; changes[i+1] == nil {
			delete(out, fmt.Sprint(changes[i]))
		}
	}
	return out
}
