package frame_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/sipc-ml/sipc/serve/frame"
)

// A hostile is a message that cannot be used, and a part of the one error that it gets.
type hostile struct {
	name string
	raw  []byte
	id   int64  // of the answer
	kind string // of the fault
	want string
}

// brokenHeaders are headers that cannot be read. Their error has the id 0, unless the header tells one.
func brokenHeaders() []hostile {
	raw := func(name, text string, id int64, want string) hostile {
		return hostile{name, []byte(text + "\n"), id, frame.KindProtocol, want}
	}
	return []hostile{
		raw("no JSON", "hello", 0, "does not begin with"),
		raw("another object", `{"jsonrpc": "2.0"}`, 0, "does not begin with"),
		raw("an array", `[1, 2]`, 0, "does not begin with"),
		raw("half an object", `{"sipc": 1, "id": 5`, 0, "unexpected EOF"),
		raw("two objects", `{"sipc": 1, "id": 5, "op": "version", "buffers": []} {}`, 0, "more than one value"),
		raw("an unknown field", `{"sipc": 1, "id": 5, "opp": "version"}`, 0, `unknown field "opp"`),
		raw("another version", `{"sipc": 2, "id": 5, "op": "version"}`, 5, "version 2 of the protocol"),
		raw("a text as version", `{"sipc": "one"}`, 0, "sipc cannot be string"),
		raw("a text as id", `{"sipc": 1, "id": "five"}`, 0, "id cannot be string"),
		raw("a fraction as id", `{"sipc": 1, "id": 0.5}`, 0, "id cannot be number"),
		raw("buffers that are no list", `{"sipc": 1, "id": 5, "op": "version", "buffers": 7}`, 0, "buffers cannot be number"),
		raw("a negative buffer", `{"sipc": 1, "id": 5, "op": "version", "buffers": [-1]}`, 5, "-1 bytes"),
		raw("an endless buffer", `{"sipc": 1, "id": 5, "op": "version", "buffers": [9223372036854775807]}`, 5, "9223372036854775807 bytes"),
		raw("endless buffers", `{"sipc": 1, "id": 5, "op": "version", "buffers": [4398046511104, 4398046511104, 1]}`, 5, "a buffer has"),
		raw("a number too large", `{"sipc": 1, "id": 99999999999999999999}`, 0, "id cannot be number"),
		raw("deep nesting", `{"sipc": 1, "id": 5, "args": `+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+`}`, 0, "max depth"),
		raw("zeros", `{"sipc": 1, "id": `+"\x00\x00"+`}`, 0, "invalid character"),
		raw("no UTF-8", `{"sipc": 1, "op": "version", "`+"\xff\xfe"+`": 1}`, 0, "unknown field"),
	}
}

// brokenCalls are requests whose arguments cannot be used.
func brokenCalls(model string) []hostile {
	var out []hostile
	call := func(name, kind, want, op string, args any, buffers ...[]byte) {
		id := int64(1000 + len(out))
		out = append(out, hostile{name, message(id, op, args, buffers...), id, kind, want})
	}
	args, buffers := rows()
	fit := func(name, kind, want string, changes ...any) {
		call(name, kind, want, "fit", with(args, changes...), buffers...)
	}
	table := func(blocks ...object) object { return object{"name": "X", "rows": 12, "blocks": blocks} }
	block := func(changes ...any) object {
		return with(object{"names": []string{"a", "b"}, "kind": "number", "buffer": 0}, changes...)
	}
	fit("no table", frame.KindCall, "needs a table", "table", nil)
	fit("no target", frame.KindCall, "needs a table and a target", "target", nil)
	fit("no rows", frame.KindData, "no rows", "table", object{"name": "X", "rows": 0, "blocks": []object{block()}})
	fit("rows below zero", frame.KindData, "no rows", "table", object{"name": "X", "rows": -3, "blocks": []object{block()}})
	fit("more rows than bytes", frame.KindCall, "bytes", "table", object{"name": "X", "rows": 13, "blocks": []object{block()}})
	fit("rows beyond memory", frame.KindCall, "bytes", "table", object{"name": "X", "rows": math.MaxInt64, "blocks": []object{block()}})
	fit("rows of a fraction", frame.KindCall, "cannot be number", "table", object{"name": "X", "rows": 1.5, "blocks": []object{block()}})
	fit("no blocks", frame.KindData, "no rows", "table", table(), "target", table())
	fit("an unknown kind", frame.KindCall, `the kind "float"`, "table", table(block("kind", "float")))
	fit("no names", frame.KindCall, "no names", "table", table(block("names", []string{})))
	fit("a name too many", frame.KindCall, "bytes", "table", table(block("names", []string{"a", "b", "c"})))
	fit("an empty name", frame.KindData, "has no name", "table", table(block("names", []string{"a", " "})))
	fit("a name twice", frame.KindData, `both called "a"`, "table", table(block("names", []string{"a", "a "})))
	fit("a name with a zero", frame.KindData, "not UTF-8", "table", table(block("names", []string{"a", "b\x00"})))
	fit("the target among the features", frame.KindData, `both called "y"`, "table", table(block("names", []string{"a", "y"})))
	fit("a buffer that is not there", frame.KindCall, "buffer 9", "table", table(block("buffer", 9)))
	fit("a buffer below zero", frame.KindCall, "buffer -1", "table", table(block("buffer", -1)))
	fit("a target of other rows", frame.KindCall, "bytes", "target", object{"name": "y", "rows": 11, "blocks": []object{block("names", []string{"y"}, "buffer", 1)}})
	fit("a misspelt argument", frame.KindCall, `unknown field "sped"`, "sped", 1)
	fit("a spec that does not parse", frame.KindSpec, "E101", "spec", "kernal gaussian")
	fit("a spec without a kernel", frame.KindSpec, "E211", "spec", "data { standardize }")
	fit("an empty spec", frame.KindSpec, "E211", "spec", "")
	fit("a spec of zeros", frame.KindSpec, "not a spec", "spec", "\x00\x00\x00\n\x01\n")
	fit("a spec that is not convex", frame.KindSpec, "E4", "spec", args["spec"].(string)+"invariance i = rms over x of pos(1 - |f|)\nregularize i\n")
	fit("a column that is not there", frame.KindSpec, "E551", "spec", args["spec"].(string)+"invariance i = rms over x of |d/d(c) f|\nregularize i\n")
	fit("another aim", frame.KindCall, "what is given are numbers", "spec", "data { target y : class }\nkernel gaussian\nfeatures nystrom\nlearn svm", "aim", "numbers")
	fit("an unknown aim", frame.KindCall, `the aim "guess"`, "aim", "guess")
	fit("an unknown method", frame.KindCall, `the method "magic"`, "method", "magic")
	fit("a gap below zero", frame.KindCall, "gap is -1", "gap", -1)
	fit("a time below zero", frame.KindCall, "seconds is -1", "seconds", -1)
	fit("little memory", frame.KindCall, "too little", "memory", 5)
	fit("too little memory", frame.KindMemory, "memory", "memory", 64<<20, "spec", "data { }\nkernel gaussian\nfeatures fourier(count = 1048576)\nlearn ridge", "aim", "numbers")
	fit("a seed below zero", frame.KindCall, "seed cannot be number", "seed", -1)
	fit("a baseline without a test", frame.KindCall, "needs test rows", "baseline", true)
	fit("a test without rows", frame.KindCall, "test needs", "test", object{})
	fit("a test of the same name", frame.KindCall, "both called X", "test", object{"table": args["table"], "target": args["target"]})
	fit("two weights", frame.KindCall, "weights are one column", "weight", table(block("names", []string{"w", "v"})))
	call("weights below zero", frame.KindData, "not a weight", "fit", with(args, "weight", table(block("names", []string{"w"}, "buffer", 2))), buffers[0], buffers[1], doubles(append(make([]float64, 11), -1)...))
	call("not a number", frame.KindData, "E507", "fit", args, doubles(append(make([]float64, 23), math.NaN())...), buffers[1])
	call("infinity", frame.KindData, "E506", "fit", args, doubles(append(make([]float64, 23), math.Inf(1))...), buffers[1])
	call("one class", frame.KindData, "E510", "fit", args, buffers[0], doubles(make([]float64, 12)...))
	call("a target that is a gap", frame.KindData, "E507", "fit", with(args, "aim", "numbers", "spec", "kernel gaussian\nfeatures nystrom\nlearn ridge"), buffers[0], doubles(append(make([]float64, 11), math.NaN())...))
	call("half a number", frame.KindCall, "bytes", "fit", args, buffers[0][:191], buffers[1])
	call("an integer beyond 2^53", frame.KindData, "beyond 2^53", "fit", with(args, "table", table(block("kind", "integer"))), integers(append(make([]int64, 23), math.MaxInt64)...), buffers[1])
	call("a boolean of 7", frame.KindCall, "7 is not 0 or 1", "fit", with(args, "table", table(block("kind", "boolean"))), append(make([]byte, 23), 7), buffers[1])
	offsets, data := texts("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	text := func(name, kind, want string, offsets, data []byte, changes ...any) {
		one := with(object{"names": []string{"t"}, "kind": "text", "buffer": 0, "offsets": 2}, changes...)
		call(name, kind, want, "fit", with(args, "table", table(one)), data, buffers[1], offsets)
	}
	text("two columns of texts", frame.KindCall, "one column", offsets, data, "names", []string{"t", "u"})
	text("offsets that are not there", frame.KindCall, "buffer 7", offsets, data, "offsets", 7)
	text("too few offsets", frame.KindCall, "offsets", offsets[:96], data)
	text("offsets that fall", frame.KindCall, "offset 2", integers(0, 5, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5), data)
	text("offsets behind the end", frame.KindCall, "offset 12", integers(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99), data)
	text("offsets that begin late", frame.KindCall, "offset 0", integers(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), data)
	text("negative offsets", frame.KindCall, "offset 1", integers(0, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), data)
	text("texts that are not UTF-8", frame.KindData, "not UTF-8", offsets, append([]byte("\xff"), data[1:]...))
	text("texts with a zero", frame.KindData, "not UTF-8", offsets, append([]byte("\x00"), data[1:]...))
	call("an unknown operation", frame.KindCall, `no operation "fitt"`, "fitt", args, buffers...)
	call("an unknown model", frame.KindModel, "load it first", "predict", object{"model": "none"})
	call("a model without rows", frame.KindCall, "needs a table", "predict", object{"model": model})
	call("a column that is lacking", frame.KindData, `no column "b"`, "predict", object{"model": model, "table": table(block("names", []string{"a", "c"}))}, buffers[0])
	call("a text for a number", frame.KindData, "not a number", "predict", object{"model": model, "table": table(block("names", []string{"a"}, "buffer", 3), object{"names": []string{"b"}, "kind": "text", "buffer": 0, "offsets": 2})}, data, nil, offsets, doubles(make([]float64, 12)...))
	call("a model file without bytes", frame.KindModel, "not a model file", "load", object{}, nil)
	call("a model file of zeros", frame.KindModel, "not a model file", "load", object{}, make([]byte, 500))
	call("two model files", frame.KindCall, "one buffer", "load", object{}, nil, nil)
	call("an empty statement", frame.KindSpec, "statement 1 is empty", "prove", object{"model": model, "statements": []string{""}})
	call("a statement with a number beyond all bounds", frame.KindSpec, "statement 1: a number beyond", "prove", object{"model": model, "statements": []string{"f(x) <= 1e300 over x in box"}})
	call("a statement that does not parse", frame.KindSpec, "E1", "prove", object{"model": model, "statements": []string{"f(x) over"}})
	call("nothing to prove", frame.KindUnprovable, "keep no statement", "prove", object{"model": model})
	call("cells below zero", frame.KindCall, "cells is -1", "prove", object{"model": model, "cells": -1})
	call("a million points", frame.KindCall, "points is 1000000", "curves", object{"model": model, "points": 1000000})
	call("a cancellation of nothing", frame.KindCall, "cannot be string", "cancel", object{"id": "all"})
	return out
}

// Each message that cannot be used gets one error, which says what is wrong, and the server answers the next.
func TestHostileMessagesGetOneErrorEach(t *testing.T) {
	c := newClient(t)
	model := c.fitted()
	all := append(brokenHeaders(), brokenCalls(model)...)
	if len(all) < 60 {
		t.Errorf("%d messages", len(all))
	}
	for _, h := range all {
		sent := make(chan struct{})
		go func() { // what is skipped is read while the answer is
			defer close(sent)
			c.send(h.raw)
		}()
		a := c.receive()
		<-sent
		if a.Kind != "error" || a.ID != h.id {
			t.Errorf("%s: a message %s of %d, and not an error of %d", h.name, a.Kind, a.ID, h.id)
			continue
		}
		if told := a.Error.Code + " " + a.Error.Message; a.Error.Kind != h.kind || !strings.Contains(told, h.want) {
			t.Errorf("%s: %s fault %q, want a %s fault with %q", h.name, a.Error.Kind, told, h.kind, h.want)
		}
		c.lives(h.name)
	}
}

// Buffers behind a header that cannot be read are skipped, whatever they hold, and the next message is answered.
func TestWhatFollowsABrokenHeaderIsSkipped(t *testing.T) {
	c := newClient(t)
	junk := bytes.Repeat([]byte("x\ny\n\x00{\"sip\n"), 1000)
	go c.send(append([]byte(`{"sipc": 1, "id": 3, "op": "fit", "buffers": ["many"]}`+"\n"), junk...))
	if a := c.receive(); a.Kind != "error" || a.Error.Kind != frame.KindProtocol {
		t.Errorf("%+v", a)
	}
	c.send([]byte("\n")) // the end of what is skipped
	c.lives("junk")
}

// A message of too many bytes is read over; its answer has its id.
func TestTooManyBytesAreReadOver(t *testing.T) {
	c := newClient(t)
	header := fmt.Sprintf(`{"sipc": 1, "id": 5, "op": "version", "buffers": [%s0]}`+"\n", strings.Repeat("0,", 1000001))
	go c.send([]byte(header))
	if a := c.receive(); a.ID != 5 || a.Error == nil || !strings.Contains(a.Error.Message, "at most 1000000") {
		t.Errorf("%+v", a)
	}
	c.lives("many buffers")
}

// An input that ends within a message is one error, for the client and for whoever started the server.
func TestInputThatIsCutOff(t *testing.T) {
	for name, raw := range map[string]string{
		"in a header": `{"sipc": 1, "id": 5`, "in a buffer": `{"sipc": 1, "id": 5, "op": "load", "buffers": [100]}` + "\nabc",
	} {
		c := newClient(t)
		go func() {
			c.send([]byte(raw))
			_ = c.to.Close()
		}()
		if a := c.receive(); a.Error == nil || !strings.Contains(a.Error.Message, "ended within a message") {
			t.Errorf("%s: %+v", name, a)
		}
		if err := <-c.end; err == nil || !strings.Contains(err.Error(), "ended within a message") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The end of the input ends the server in good order.
func TestServerEndsWithItsInput(t *testing.T) {
	c := newClient(t)
	c.lives("the start")
	_ = c.to.Close()
	if err := <-c.end; err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(c.from); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}
