package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/sipc-ml/sipc/internal/limits"
)

// thriftForm is how headers and the index of a Parquet file are written.
var thriftForm thrift.CompactProtocol

// Bounds of a header or an index, and what their items take.
const (
	thriftDepth  = 64  // of values within values; an index has some ten
	structBytes  = 640 // of the widest struct that a list of an index may hold, once it is decoded
	anyItemBytes = 32  // of every other item of a list
)

// errThriftEnd is the error of a header or an index that ends too early.
var errThriftEnd = errors.New("it ends within a value")

// A thriftWalk goes over values in Thrift's compact protocol and decodes none of them.
type thriftWalk struct {
	path   string
	rest   []byte
	memory int64 // that lists may take
	listed int64 // what the lists so far take
}

// decodeThrift decodes the struct with which the bytes begin, and returns how many it has. A library decodes it. It makes slices as
// long as a list or a text announces, and follows structs to any depth. So the bytes are walked over before.
func decodeThrift(path string, b []byte, memory int64, v any) (size int, err error) {
	w := thriftWalk{path: path, rest: b, memory: memory}
	if err := w.value(thrift.STRUCT, thriftDepth); err != nil {
		return 0, err
	}
	size = len(b) - len(w.rest)
	return size, thrift.Unmarshal(&thriftForm, b[:size], v)
}

// value goes over a value, in which others may lie so deep.
func (w *thriftWalk) value(kind thrift.Type, depth int) error {
	if depth == 0 {
		return fmt.Errorf("it has values within values deeper than %d", thriftDepth)
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		return w.skip(1)
	case thrift.I16, thrift.I32, thrift.I64:
		_, err := w.number()
		return err
	case thrift.DOUBLE:
		return w.skip(8)
	case thrift.UUID:
		return w.skip(16)
	case thrift.BINARY:
		n, err := w.number()
		if err != nil {
			return err
		}
		return w.skip(n)
	case thrift.LIST, thrift.SET:
		return w.list(depth - 1)
	case thrift.MAP:
		return w.pairs(depth - 1)
	case thrift.STRUCT:
		return w.fields(depth - 1)
	}
	return fmt.Errorf("it has a value of the unknown type %d", kind)
}

// skip goes over n bytes.
func (w *thriftWalk) skip(n uint64) error {
	if n > uint64(len(w.rest)) {
		return errThriftEnd
	}
	w.rest = w.rest[n:]
	return nil
}

// octet returns the next byte.
func (w *thriftWalk) octet() (byte, error) {
	if len(w.rest) == 0 {
		return 0, errThriftEnd
	}
	b := w.rest[0]
	w.rest = w.rest[1:]
	return b, nil
}

// number returns the next number, in as many bytes as it needs.
func (w *thriftWalk) number() (uint64, error) {
	v, used := binary.Uvarint(w.rest)
	if used <= 0 {
		return 0, errThriftEnd
	}
	w.rest = w.rest[used:]
	return v, nil
}

// fields goes over the fields of a struct. The upper half of a field's first byte is how far its number is from the one before; 0 means
// that the number follows. Booleans lie in the type.
func (w *thriftWalk) fields(depth int) error {
	for {
		head, err := w.octet()
		if err != nil {
			return err
		}
		kind := thrift.Type(head & 0xf)
		if kind == thrift.STOP {
			return nil
		}
		if head>>4 == 0 {
			if _, err := w.number(); err != nil {
				return err
			}
		}
		if kind == thrift.TRUE || kind == thrift.FALSE {
			continue
		}
		if err := w.value(kind, depth); err != nil {
			return err
		}
	}
}

// list goes over a list or a set. The upper half of its first byte is its length; 15 means that the length follows.
func (w *thriftWalk) list(depth int) error {
	head, err := w.octet()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 0xf {
		if n, err = w.number(); err != nil {
			return err
		}
	}
	return w.items(n, depth, thrift.Type(head&0xf))
}

// pairs goes over a map. An empty one has no types.
func (w *thriftWalk) pairs(depth int) error {
	n, err := w.number()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := w.octet()
	if err != nil {
		return err
	}
	return w.items(n, depth, thrift.Type(kinds>>4), thrift.Type(kinds&0xf))
}

// items goes over n items, each of which has a value of each kind. It refuses more than the bytes can hold or the memory may.
func (w *thriftWalk) items(n uint64, depth int, kinds ...thrift.Type) error {
	if n > uint64(len(w.rest)/len(kinds)) {
		return fmt.Errorf("it announces a list of %d in %s", n, count(len(w.rest), "byte"))
	}
	for _, kind := range kinds {
		each := int64(anyItemBytes)
		if kind == thrift.STRUCT {
			each = structBytes
		}
		w.listed += int64(n) * each
	}
	if w.listed > w.memory {
		return &Error{
			Code: CodeFile, File: w.path, Problem: "the lists of the Parquet file's index or pages take more than the " + limits.Size(w.memory) + " of memory that may be taken",
			Mend: "write fewer columns, or larger groups of rows, or allow more by --max-memory",
		}
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
	return nil
}
